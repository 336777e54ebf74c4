"""A reader of GLB files, written from the specification of glTF 2.0 alone, that poses their meshes at a time."""

import json
import struct

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

DTYPES = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """A file, checked as it is read."""

    def __init__(self, data):
        magic, version, total = struct.unpack_from("<4sII", data)
        assert (magic, version, total) == (b"glTF", 2, len(data))
        length, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        assert length % 4 == 0
        self.document = json.loads(data[20 : 20 + length])
        size, kind = struct.unpack_from("<I4s", data, 20 + length)
        assert kind == b"BIN\0"
        self.binary = data[28 + length :]
        assert len(self.binary) == size
        assert size == self.document["buffers"][0]["byteLength"]
        self.check()

    def check(self):
        """What the specification asks of references, bounds and alignment."""
        doc = self.document
        assert doc["asset"]["version"] == "2.0"
        for view in doc["bufferViews"]:
            assert view["byteOffset"] % 4 == 0
            assert view["byteOffset"] + view["byteLength"] <= len(self.binary)
        for i, accessor in enumerate(doc["accessors"]):
            values = self.read(i)
            assert np.all(np.isfinite(values))
            if "min" in accessor:
                rows = values.reshape(len(values), -1)
                np.testing.assert_array_equal(np.float32(accessor["min"]), rows.min(axis=0))
                np.testing.assert_array_equal(np.float32(accessor["max"]), rows.max(axis=0))
        parents = {}
        for k, node in enumerate(doc["nodes"]):
            for child in node.get("children", []):
                assert child not in parents, "a node has two parents"
                parents[child] = k
        roots = doc["scenes"][0]["nodes"]
        assert not set(roots) & set(parents)
        for mesh in doc["meshes"]:
            for primitive in mesh["primitives"]:
                self.check_primitive(primitive)
        for skin in doc.get("skins", []):
            assert len(self.read(skin["inverseBindMatrices"])) == len(skin["joints"])
        for animation in doc.get("animations", []):
            seen = [json.dumps(channel["target"], sort_keys=True) for channel in animation["channels"]]
            assert len(set(seen)) == len(seen)
            for sampler in animation["samplers"]:
                times = self.read(sampler["input"])
                assert "min" in doc["accessors"][sampler["input"]]
                assert times[0] >= 0.0
                assert np.all(np.diff(times) > 0.0)

    def check_primitive(self, primitive):
        attributes = {name: self.read(i) for name, i in primitive["attributes"].items()}
        count = len(attributes["POSITION"])
        assert "min" in self.document["accessors"][primitive["attributes"]["POSITION"]]
        assert all(len(values) == count for values in attributes.values())
        np.testing.assert_allclose(np.linalg.norm(attributes["NORMAL"], axis=1), 1.0, atol=1e-5)
        assert self.read(primitive["indices"]).max() < count
        if "WEIGHTS_0" in attributes:
            np.testing.assert_allclose(attributes["WEIGHTS_0"].sum(axis=1), 1.0)
        for target in primitive.get("targets", []):
            assert len(self.read(target["POSITION"])) == count

    def read(self, i):
        accessor = self.document["accessors"][i]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = WIDTH[accessor["type"]]
        values = np.frombuffer(
            self.binary, DTYPES[accessor["componentType"]], accessor["count"] * width, view["byteOffset"]
        )
        if width == 16:
            return values.reshape(-1, 4, 4).transpose(0, 2, 1)
        return values if width == 1 else values.reshape(-1, width)

    def posed(self, time):
        """World vertices of every mesh by its node's name, and base colours by the mesh's."""
        doc = self.document
        state = [dict(node) for node in doc["nodes"]]
        colours = {m["name"]: m["pbrMetallicRoughness"]["baseColorFactor"] for m in doc["materials"]}
        for animation in doc.get("animations", []):
            for channel in animation["channels"]:
                value = self.sampled(animation["samplers"][channel["sampler"]], time, channel["target"]["path"])
                if channel["target"]["path"] == "pointer":
                    pointer = channel["target"]["extensions"]["KHR_animation_pointer"]["pointer"]
                    colours[doc["materials"][int(pointer.split("/")[2])]["name"]] = value
                else:
                    state[channel["target"]["node"]][channel["target"]["path"]] = value
        world = [None] * len(state)

        def visit(k, above):
            node, local = state[k], np.eye(4)
            turn = Rotation.from_quat(node.get("rotation", (0, 0, 0, 1))).as_matrix()
            local[:3, :3] = turn * np.asarray(node.get("scale", (1, 1, 1)))
            local[:3, 3] = node.get("translation", (0, 0, 0))
            world[k] = above @ local
            for child in node.get("children", []):
                visit(child, world[k])

        for root in doc["scenes"][0]["nodes"]:
            visit(root, np.eye(4))
        shown = [(k, node) for k, node in enumerate(state) if "mesh" in node]
        return {node["name"]: self.vertices(node, world[k], world) for k, node in shown}, colours

    def vertices(self, node, pose, world):
        mesh = self.document["meshes"][node["mesh"]]
        primitive = mesh["primitives"][0]
        points = self.read(primitive["attributes"]["POSITION"]).astype(float)
        weights = node.get("weights", mesh.get("weights", []))
        for weight, target in zip(weights, primitive.get("targets", []), strict=True):
            points = points + weight * self.read(target["POSITION"])
        whole = np.column_stack([points, np.ones(len(points))])
        if "skin" not in node:
            return (whole @ pose.T)[:, :3]
        skin = self.document["skins"][node["skin"]]
        bones = np.array([world[j] for j in skin["joints"]]) @ self.read(skin["inverseBindMatrices"])
        joints, weights = (self.read(primitive["attributes"][name]) for name in ("JOINTS_0", "WEIGHTS_0"))
        return np.einsum("vk,vkij,vj->vi", weights, bones[joints], whole)[:, :3]

    def sampled(self, sampler, time, path):
        times, values = self.read(sampler["input"]), self.read(sampler["output"]).astype(float)
        if path == "weights":
            values = values.reshape(len(times), -1)
        k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 2))
        x = np.clip((time - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
        if sampler["interpolation"] == "STEP":
            return values[k + (x >= 1.0)]
        if path == "rotation":
            return Slerp([0.0, 1.0], Rotation.from_quat(values[k : k + 2]))(x).as_quat()
        return (1.0 - x) * values[k] + x * values[k + 1]
