"""Water around a robot: buoyancy, drag, added mass, wakes, thrusters."""
