"""Pictures as files that move: video (ffmpeg) or GIF (Pillow)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from supple.errors import MissingExtraError, StorageError
from supple.storage import replacing
from supple.viz import style as colours
from supple.viz.style import PALETTE

#: Colours of a GIF.
GIF_COLOURS = 96

#: A picture (height, width, 3) of bytes, both even.
Frame = np.ndarray


def write_gif(target: Path, frames: Iterator[Frame], fps: float) -> None:
    """Frames with one palette; delays are whole hundredths of a second, which add up to the true time."""
    from PIL import Image  # comes with matplotlib, and with viser

    pictures = [Image.fromarray(frame) for frame in frames]
    # colours from frames through all of the motion, and those of lines and words, which cover little
    some = pictures[:: max(1, len(pictures) // 4)]
    width, height = some[0].size
    swatches = Image.new("RGB", (width, height * len(some) + 2 * height), "white")
    for k, picture in enumerate(some):
        swatches.paste(picture, (0, k * height))
    thin = (*PALETTE, *colours.AXES, colours.LOAD, colours.LOOP, colours.INK, colours.FAINT)
    for k, colour in enumerate(thin):
        swatches.paste(
            colour, (k * width // len(thin), height * len(some), (k + 1) * width // len(thin), swatches.height - height)
        )
    palette = swatches.quantize(GIF_COLOURS)
    indexed = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    # paper is white, not the mean of all that is nearly white
    paper = Image.new("RGB", (1, 1), "white").quantize(palette=palette, dither=Image.Dither.NONE)
    entries = np.array(palette.getpalette()).reshape(-1, 3)
    entries[int(np.asarray(paper)[0, 0])] = 255
    for picture in indexed:
        picture.putpalette(entries.ravel().tolist())
    ticks = np.round(100.0 / fps * np.arange(len(indexed) + 1)).astype(int)
    delays = np.maximum(np.diff(ticks), 2) * 10  # viewers slow down frames shorter than 20 ms
    with replacing(target) as beside:
        indexed[0].save(
            beside,
            format="GIF",
            save_all=True,
            append_images=indexed[1:],
            duration=delays.tolist() if len(indexed) > 1 else int(delays[0]),
            loop=0,
            optimize=False,
            disposal=1,
        )


def write_mp4(target: Path, frames: Iterator[Frame], fps: float) -> None:
    """Frames as H.264 in a file that plays everywhere."""
    program = find_ffmpeg()
    with replacing(target) as beside:
        first = next(frames)
        height, width = first.shape[:2]
        command = [
            *(program, "-y", "-loglevel", "error"),
            *("-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", f"{width}x{height}", "-framerate", f"{fps:g}"),
            *("-i", "-", "-an", "-vcodec", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart"),
            *("-f", "mp4", str(beside)),
        ]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            process.stdin.write(first.tobytes())
            for frame in frames:
                process.stdin.write(frame.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # its own words follow
        except BaseException:
            process.kill()
            process.wait()
            raise
        words = process.stderr.read().decode(errors="replace").strip()
        process.stderr.close()
        if process.wait() != 0:
            raise StorageError(f"cannot write {target}: ffmpeg says: {words or process.returncode}")


def find_ffmpeg() -> str:
    """The program that writes videos: that of imageio-ffmpeg, or the system's."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        pass
    found = shutil.which("ffmpeg")
    if found is None:
        raise MissingExtraError(
            'videos need ffmpeg, which is not installed: pip install "supple[viz]" brings it; or write a .gif'
        )
    return found
