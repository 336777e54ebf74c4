"""MJCF files that use all that is read: written here, not copied."""

ARM = """<mujoco model="arm">
  <compiler angle="degree" eulerseq="zyx"/>
  <option gravity="0.3 -0.2 -9.7"/>
  <default>
    <joint damping="0.4" armature="0.02"/>
    <geom density="700"/>
    <default class="upper">
      <joint stiffness="3" springref="20" axis="0 1 0"/>
      <geom type="capsule" size="0.04"/>
      <default class="fine"><joint armature="0" frictionloss="0.1"/></default>
    </default>
    <motor gear="2"/>
  </default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="1 1 1"/>
    <site name="lamp" pos="1 2 3"/>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30">
      <geom type="cylinder" size="0.1 0.05" mass="3"/>
      <body name="shoulder" pos="0 0 0.2" childclass="upper">
        <joint name="pan" axis="0 0 2" pos="0.01 0.02 0" ref="25" range="-90 120"/>
        <joint name="lift" pos="0 0 0.03"/>
        <joint name="roll" class="fine" axis="1 0.2 0" pos="0 0.05 0.02" ref="-15"/>
        <geom fromto="0 0 0 0.3 0.1 0.05"/>
        <geom type="box" size="0.03 0.05 0.07" pos="0.1 0 0" axisangle="1 1 0 40" density="300"/>
        <site name="elbow" type="capsule" size="0.01" fromto="0 0 0 0.1 0.2 -0.3"/>
        <frame pos="0.3 0.1 0.05" xyaxes="0 1 0 -1 0 0.2">
          <body name="bracket" zaxis="0.1 -0.2 1">
            <geom type="ellipsoid" size="0.03 0.04 0.06"/>
            <body name="slider" pos="0 0 0.1" gravcomp="0.4">
              <joint name="stroke" type="slide" axis="0.1 0 1" ref="0.02" range="-0.1 0.2" class="main"/>
              <geom type="box" size="0.03 0.05" fromto="0 0 0 0 0.1 0.2" mass="0.8"/>
              <site name="tool" pos="0 0 0.1" quat="2 0 1 0.5"/>
            </body>
          </body>
          <geom type="sphere" size="0.05" pos="0 0 0.02"/>
        </frame>
      </body>
      <body name="counter" pos="-0.2 0 0.1">
        <joint name="swing" axis="1 0 0" class="upper"/>
        <inertial pos="0 0 -0.1" quat="1 0.2 0 0" mass="1.5" diaginertia="0.02 0.015 0.01"/>
        <geom type="sphere" size="0.3"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="pan_motor" joint="pan" ctrlrange="-1 1"/>
    <motor name="direct" joint="swing" gear="1"/>
    <position name="servo" joint="lift" kp="30" kv="2" gear="1.5"/>
    <velocity name="rate" joint="stroke" kv="7" gear="1"/>
    <general name="any" joint="roll" gear="0.7" gainprm="4" biastype="affine" biasprm="0.5 -6 -0.3"/>
    <motor name="jet" site="tool" gear="0 0 1 0.1 0 0.2"/>
  </actuator>
  <sensor><jointpos joint="pan"/></sensor>
</mujoco>
"""

FLOATING = """<mujoco>
  <compiler angle="radian" balanceinertia="true" boundmass="0.2" boundinertia="0.001" settotalmass="12" eulerseq="XYZ"/>
  <option><flag gravity="disable"/></option>
  <worldbody>
    <body name="hull" pos="0 0 1" euler="0.1 0.2 0.3">
      <freejoint name="root"/>
      <inertial pos="0.1 0 0" mass="4" fullinertia="0.3 0.4 0.9 0.02 -0.01 0.03"/>
      <body name="leg" pos="0.2 0 0">
        <joint name="hip" type="ball" pos="0 0 0.05" stiffness="2"/>
        <geom type="capsule" size="0.05 0.2" pos="0 0 -0.2"/>
        <body name="foot" pos="0 0 -0.4">
          <joint name="ankle" axis="0 1 0" limited="true" range="-0.5 0.7"/>
          <geom type="box" size="0.1 0.05 0.02"/>
        </body>
      </body>
      <body name="sting" pos="-0.2 0 0">
        <joint name="flex" axis="0 0 1"/>
        <geom type="sphere" size="0.005"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

COUPLED = """<mujoco model="coupled">
  <worldbody>
    <body name="palm">
      <geom type="box" size="0.1 0.1 0.02"/>
      <body name="a1" pos="0.1 0 0"><joint name="a1" axis="0 1 0" ref="10"/><geom type="capsule" size="0.01 0.05"/>
        <body name="a2" pos="0 0 0.1"><joint name="a2" axis="0 1 0" ref="5"/><geom type="capsule" size="0.01 0.04"/>
          <body name="a3" pos="0 0 0.1"><joint name="a3" axis="0 1 0"/><geom type="capsule" size="0.01 0.03"/></body>
        </body>
      </body>
      <body name="b1" pos="-0.1 0 0"><joint name="b1" axis="0 1 0"/><geom type="capsule" size="0.01 0.05"/>
        <body name="b2" pos="0 0 0.1"><joint name="b2" axis="0 1 0"/><geom type="capsule" size="0.01 0.04"/></body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="flexor" stiffness="3" damping="0.2">
      <joint joint="a1" coef="0.5"/><joint joint="a2" coef="-0.3"/>
    </fixed>
    <fixed name="extensor" springlength="0.1" stiffness="2">
      <joint joint="b1" coef="1"/><joint joint="a1" coef="0.4"/>
    </fixed>
    <fixed name="pair"><joint joint="b1" coef="1"/><joint joint="b2" coef="-2"/></fixed>
  </tendon>
  <equality>
    <joint joint1="a3" joint2="a2" polycoef="0.1 0.8"/>
    <tendon tendon1="pair" polycoef="0.05"/>
  </equality>
  <actuator>
    <position name="grip" tendon="flexor" kp="12"/>
    <motor name="pull" tendon="extensor" gear="0.5"/>
  </actuator>
</mujoco>
"""

ROBOTS = {"arm": ARM, "floating": FLOATING, "coupled": COUPLED}

#: An L, which is not convex, as a mesh; and a body of it, weighed in some way.
CORNERS = ((0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2))


def mesh_of_an_l():
    """An OBJ file."""
    lines = [f"v {x} {y} {z}" for z in (0, 1) for x, y in CORNERS]
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    triangles = [face[::-1] for face in faces] + [tuple(k + 6 for k in face) for face in faces]
    for i in range(6):
        j = (i + 1) % 6
        triangles += [(i, j, j + 6), (i, j + 6, i + 6)]
    return "\n".join([*lines, *("f " + " ".join(str(k + 1) for k in face) for face in triangles)]) + "\n"


MESH = """<mujoco>
  <asset><mesh name="l" file="l.obj" scale="0.2 0.1 0.1" refpos="1 0 0.5" refquat="1 0.3 0 0" {how}/></asset>
  <worldbody><body name="l"><joint axis="1 2 3"/>
    <geom type="mesh" mesh="l" density="900" pos="0.1 0.2 0.3" euler="10 20 30"/>
  </body></worldbody>
</mujoco>
"""
WEIGHED = {"default": "", "exact": 'inertia="exact"', "convex": 'inertia="convex"', "legacy": 'inertia="legacy"'}
