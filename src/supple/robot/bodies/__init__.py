"""What links are made of: `Rod`, `Rigid`, and the protocol by which others join them."""

from supple.robot.bodies.protocol import Body
from supple.robot.bodies.rigid import Rigid
from supple.robot.bodies.rod import Rod
from supple.robot.bodies.soft import SoftBody

__all__ = ["Body", "Rigid", "Rod", "SoftBody"]
