"""Model files, URDF and MJCF, mutated: they load, or are refused with file, line and key; no traceback, no hang.

Seed k takes one of some files (systems and random robots as YAML and JSON, URDFs like public robots) and changes it: a
character, a word, a number, a line, a subtree; swaps, repeats, cuts and nests; puts in what is hostile.  What loads is
compiled now and then: that, too, ends in a model or a typed error.
"""

from __future__ import annotations

import functools
import re
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import supple as sp
from supple.errors import FileError, StorageError, SuppleError

from .report import Refused, Report, run

#: Seconds that loading may take; ten times what is promised, since machines are shared.
LIMIT = 10.0

#: Share of files that load which are compiled as well.
COMPILED = 0.02

#: What is put in.
HOSTILE = (
    *("nan", ".nan", "inf", "-1", "0", "1e400", "1e-400", "9" * 5000, "1,5", "''", '""', "null", "true", "~", "0x10"),
    *("[]", "{}", "[[]]", "{a: b}", "- - -", "? x", "&a", "*a", "!!python/object:os.system", "!!binary x", "<<: {}"),
    *("${1}", "${1/0}", "${__import__('os')}", "${a.b}", "${[i for i in x]}", "${9**9**9}", "${(}", "${'a'*9}"),
    *("<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "<a>", "</a>", "<![CDATA[", "-->", "<?x?>", "\0", "\ufeff", "\u2028"),
    *("../../../etc/passwd", "/dev/zero", "file:///etc/passwd", "world", "Rod", "Rigid", "Samples", "function"),
    *("\t", "\r", "\\", "\\u0000", "%", "@", "`", "|", ">", ": ", "---", "...", "#", "é", "\U0001d538", "\ud7ff"),
)


def campaign(count, seed, say=lambda text: None) -> Report:
    """Mutations of ``count`` seeds."""
    with tempfile.TemporaryDirectory() as folder:
        return run("model_files", functools.partial(case, Path(folder)), count, seed, say)


def case(folder, seed):
    """One mutation of one file."""
    rng = np.random.default_rng([1515, seed])
    texts = originals()
    ending, text, functions = texts[rng.integers(len(texts))]
    for _ in range(int(rng.choice([1, 1, 1, 2, 4, 10]))):
        text = mutated(rng, text)
    path = folder / f"robot{ending}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    begun = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            base = str(rng.choice(["fixed", "free"]))
            robot = sp.load_urdf(path, base) if ending == ".urdf" else sp.load(path, functions)
        except FileError as error:
            check_message(str(error), path)
            raise Refused(str(error)) from None
        finally:
            taken = time.monotonic() - begun
            assert taken < LIMIT, f"took {taken:.1f} s"
        if rng.random() < COMPILED:
            try:
                robot.compile()
            except (SuppleError, StorageError) as error:
                raise Refused(str(error)) from None


def check_message(message, path):
    """A refusal names the file, and where in it, or what is wrong with it as a whole."""
    assert message.startswith(str(path)), message
    whole = ("is empty", "root links", "no links", "decoded", "longer than", "more than", "bytes")
    assert re.match(r".*?, line \d+", message) or any(words in message for words in whole), message
    assert len(message) < 3000, f"{len(message)} characters"


def mutated(rng, text):
    """The text with one change."""
    if not text:
        return str(rng.choice(HOSTILE))
    place = int(rng.integers(len(text)))
    lines = text.split("\n")
    kind = rng.integers(11)
    if kind == 0:  # a character
        return text[:place] + chr(int(rng.integers(1, 300))) + text[place + 1 :]
    if kind == 1:  # some are lost
        return text[:place] + text[place + int(rng.geometric(0.1)) :]
    if kind == 2:  # something is put in
        return text[:place] + str(rng.choice(HOSTILE)) + text[place:]
    if kind in (3, 4):  # a word or a number becomes another
        words = list(re.finditer(r"[\w.+-]+", text))
        one = words[rng.integers(len(words))] if words else None
        other = words[rng.integers(len(words))].group() if words and kind == 3 else str(rng.choice(HOSTILE))
        return other if one is None else text[: one.start()] + other + text[one.end() :]
    if kind == 5:  # the end is lost
        return text[:place]
    line = int(rng.integers(len(lines)))
    if kind == 6:
        del lines[line]
    elif kind == 7:
        lines.insert(int(rng.integers(len(lines))), lines[line])
    elif kind == 8:
        lines[line] = lines[line][int(rng.integers(4)) :] if rng.random() < 0.5 else "  " + lines[line]
    elif kind == 9:
        other = int(rng.integers(len(lines)))
        lines[line], lines[other] = lines[other], lines[line]
    else:  # a piece moves elsewhere
        end = min(place + int(rng.geometric(0.02)), len(text))
        target = int(rng.integers(len(text)))
        return text[:target] + text[place:end] + text[target:]
    return "\n".join(lines)


@functools.cache
def originals():
    """(ending, text, functions) of files to begin with."""
    import load_kinds
    import mjcf_robots
    import urdf_robots
    from helpers import random_robot
    from supple.systems import SYSTEMS

    found = []
    rng = np.random.default_rng(0)
    robots = [SYSTEMS[name]().robot for name in ("serial-arm", "parallel-robot", "drones", "flying-rod", "cantilever")]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(6):
            kinds = list(load_kinds.KINDS)[k::6]
            robot = load_kinds.host(soft=k == 3) if k % 2 else random_robot(rng, laws=0.5)
            robots.append(load_kinds.add_kinds(rng, robot, kinds))
        robots += [soft_hand(), soft_hand()]  # as YAML and as JSON
        for i, robot in enumerate(robots):
            path = Path(folder) / f"r{('.yaml', '.json')[i % 3 == 0]}"
            functions = robot.save(path)
            found.append((path.suffix, path.read_text(encoding="utf-8"), functions))
    found.append((".yaml", BY_HAND, {}))
    found += [(".urdf", make(rng), {}) for make in urdf_robots.ROBOTS.values()]
    found += [(".xml", text, {}) for text in (*mjcf_robots.ROBOTS.values(), mjcf_robots.MESH.format(how=""))]
    return found


def soft_hand():
    """Soft bodies and rods of functions that files hold as formulas and tables; a net; a joint that follows."""
    rubber = sp.Material(young=2e5, poisson=0.45, density=1100.0, viscosity=200.0)
    modes = [lambda x: 1.0 + 0.3 * np.cos(4.0 * x), sp.PolynomialMode((0.0, 1.0), 0.2)]
    kinematics = sp.VolumePreserving([sp.Twist(modes), sp.Stretch(lambda x: x / 0.2)])
    few = {"points": (3, 2, 4)}
    tube = sp.SoftBody(kinematics, sp.HollowCylinder(0.2, 0.03, 0.01), rubber, density=lambda x: 900.0 + x[0], **few)
    energy = sp.EnergyDensity(lambda F: 3e4 * (np.sum(F * F) - 3.0 - 2.0 * np.log(np.linalg.det(F))), density=950.0)
    law = sp.StrainEnergy(lambda e, K, s, c: 0.5 * e @ K @ e + c * e[1] ** 4, {"c": 1e-6})
    robot = sp.Robot("soft hand")
    robot.add_link("tube", tube)
    robot.add_link("arc", sp.SoftBody(sp.ConstantCurvature(0.2), sp.Cylinder(0.2, 0.02), energy, **few), parent="tube")
    robot.add_link("rod", sp.Rod(0.1, sp.Circle(0.01), rubber, sp.Legendre(bend_y=1), law=law), sp.Revolute("y"), "arc")
    robot.add_link("tip", sp.Rigid(0.1, [1e-4] * 3), sp.Revolute("y"), "rod")
    robot.couple("tip", to="rod.rotation", function=lambda x: 0.3 * np.sin(x))
    robot.add_frame("inside", ("arc", (0.1, 0.01, 0.0)))
    robot.add(sp.Cavity("bore", "tube"))
    robot.add(sp.Cavity("half", "tube", region=lambda x: bool(x[0] < 0.1)))
    robot.add(sp.BearingFriction("bearing", "rod", coefficient=0.1, radius=0.01))
    sp.SpringNet.rope((0.3, 0.0, 0.0), (0.9, 0.0, 0.0), 3, mass=0.1, stiffness=100.0).add_to(robot, "rope")
    return robot


BY_HAND = """supple: 1
name: finger
parameters: {radius: 0.01, ends: ["${radius}", "${0.5 * radius}"]}
links:
  - name: rod
    at: {xyz: [0, 0, 0.1], rpy: [0, "${pi / 2}", 0]}
    body:
      Rod:
        length: 0.2
        section: {Circle: {radius: "${ends}"}}
        material: {Material: {young: 1e6, density: 1000}}
        strain: {Legendre: {bend_y: 2}}
frames:
  - {name: end, link: [rod, 0.5]}
loads:
  - Tendon: {name: pull, route: {rod: [0.0, "${0.8 * radius}"]}}
"""
