"""supple: differentiable simulation of hybrid soft-rigid robots."""

import supple.cli.guard  # first: Ctrl-C while the command line imports the rest
from supple import control, laws, materials, rest
from supple.bases import (
    Chebyshev,
    CustomBasis,
    Fourier,
    Gaussian,
    Hat,
    Hermite,
    Legendre,
    Monomial,
    PiecewiseConstant,
    Strain,
)
from supple.batch.motions import Motions
from supple.batch.sweep import Sweep, sweep
from supple.errors import (
    ConvergenceError,
    DesignError,
    FileError,
    Interrupted,
    MissingExtraError,
    ModelError,
    ModelWarning,
    PictureError,
    ShapeError,
    SimulationError,
    SingularError,
    StateError,
    StorageError,
    SuppleError,
)
from supple.files import load, load_design, load_mjcf, load_urdf
from supple.files.routes import HelicalRoute
from supple.gradients.design import Design
from supple.joints import (
    Composite,
    CurveJoint,
    Cylindrical,
    Euler,
    Fixed,
    Free,
    Friction,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SurfaceJoint,
    Translational,
    Universal,
)
from supple.lie.pose import pose
from supple.loads import (
    AddedMass,
    Ball,
    BearingFriction,
    Box,
    Cable,
    Capsule,
    Cavity,
    Chamber,
    Contact,
    Distributed,
    Drag,
    ElasticTendon,
    Fluid,
    JointDrive,
    Loop,
    PairLaw,
    Plane,
    PointLaw,
    PointWrench,
    Prescribed,
    Spheres,
    Spring,
    SpringNet,
    Springs,
    Tendon,
    Thruster,
    Tube,
    Wake,
)
from supple.robot.bodies import Rigid, Rod, SoftBody
from supple.robot.controller import Controller
from supple.robot.domains import Block, Cone, Cylinder, HollowCylinder, Mesh, Points
from supple.robot.kinematics import (
    Bend,
    ConstantCurvature,
    Network,
    PolynomialMode,
    Shear,
    Source,
    Stretch,
    Twist,
    VariableRadius,
    VolumePreserving,
)
from supple.robot.modal import ModalBody
from supple.robot.robot import Robot
from supple.sections import (
    Annulus,
    Circle,
    Ellipse,
    EnergyDensity,
    Material,
    MooneyRivlinRod,
    NeoHookean,
    QuadraticEnergy,
    Rectangle,
    Saturating,
    Section,
    Stiffening,
    StrainEnergy,
)
from supple.solvers.integrators import BDF2, DOP853, NDF, RK45, GeneralizedAlpha, ImplicitEuler, Newmark, Radau
from supple.solvers.motion.events import Event, Switch
from supple.solvers.motion.trajectory import Trajectory

__version__ = "0.1.0"
