"""Animations: frames at even times, written as video (ffmpeg) or GIF (Pillow)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import ask, positive_float, shown
from supple.errors import MissingExtraError, ModelError, PictureError, StorageError
from supple.storage import replacing
from supple.viz import style as colours
from supple.viz.display import new_figure
from supple.viz.layout import bare_axes, draw_path, write_title
from supple.viz.motion import FRAMING, even_times, model_of, paths, states_at, traces, watched
from supple.viz.paths import checked_path
from supple.viz.pictures import draw_state
from supple.viz.sections import IN_A_FRAME
from supple.viz.style import PALETTE, Style
from supple.viz.view import View

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

#: Pixels per inch of animations, if not asked for otherwise, and colours of a GIF.
DPI, GIF_COLOURS = 110.0, 96

#: Most frames: those of a GIF are held in memory.
MOST_FRAMES = {"mp4": 100_000, "gif": 3000}

Frame = np.ndarray
Progress = Callable[[float], Any]


def animate(
    trajectory: Trajectory,
    path: str | os.PathLike[str],
    fps: float = 25.0,
    speed: float = 1.0,
    watch: Sequence[tuple[str, float]] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Path:
    """Write an animation of a motion, as `Trajectory.animate` describes."""
    writers: dict[str, Callable[[Path, Iterator[Frame], float], None]] = {"mp4": _write_mp4, "gif": _write_gif}
    target = checked_path(path, "an animation", writers)
    kind = target.suffix.lstrip(".").lower()
    if progress is not None and not callable(progress):
        raise PictureError(f"animate: progress is {shown(progress)}, must be a function of the fraction done")
    try:
        fps, speed = positive_float(fps, "fps"), positive_float(speed, "speed")
    except ModelError as error:
        raise PictureError(f"animate: {error}") from None
    style = Style.of({"dpi": DPI, **options})
    span = trajectory.t[-1] - trajectory.t[0] if len(trajectory.t) else 0.0
    count = max(1, round(min(fps * span / speed, 1e15)) + 1)
    if style.show:
        raise PictureError(f"animate: show=True is for pictures: open {target.name} with a player")
    if count > MOST_FRAMES[kind]:
        hint = "; a video holds more: .mp4" if kind == "gif" and count <= MOST_FRAMES["mp4"] else ""
        raise PictureError(
            f"animate: fps = {fps:g} and speed = {speed:g} make {count} frames of {span:g} s, more than a .{kind} "
            f"should hold ({MOST_FRAMES[kind]}): lower fps, raise speed{hint}"
        )
    writers[kind](target, _frames(trajectory, count, style, watch, progress), fps)
    return target


def _frames(
    trajectory: Trajectory,
    count: int,
    style: Style,
    watch: Sequence[tuple[str, float]] | None,
    progress: Progress | None,
) -> Iterator[Frame]:
    """Pictures (height, width, 3), even in both directions, one after the other."""
    model, stations = model_of(trajectory), watched(model_of(trajectory), watch)
    view = View.of(model, style, states_at(trajectory, even_times(trajectory, FRAMING)), IN_A_FRAME)
    figure = new_figure(style.size or (6.4, 4.8), style.dpi)
    canvas: Any = figure.canvas
    ax = bare_axes(figure, (0.0, 0.0, 1.0, 1.0))
    states = states_at(trajectory, even_times(trajectory, count))
    tips, (times, trace) = paths(model, np.array([state.q for state in states]), stations), traces(trajectory, stations)
    for k, (state, own) in enumerate(zip(states, view.following(model, style, states), strict=True)):
        ax.clear()
        draw_state(ax, model, own, style, state)
        so_far = np.concatenate([trace[times < state.t], tips[k : k + 1]])
        for i in range(len(stations)):
            draw_path(ax, own, so_far[:, i], PALETTE[i % len(PALETTE)], 1.1)
        title = model.name if style.title is None else style.title
        if title:
            write_title(ax, title)
        ax.text(
            0.98,
            0.975,
            f"{state.t:.2f} s",
            transform=ax.transAxes,
            ha="right",
            va="top",
            fontsize=11,
            color=colours.INK,
        )
        canvas.draw()
        picture = np.asarray(canvas.buffer_rgba())[:, :, :3]
        yield picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2].copy()
        if progress is not None:
            ask(progress, ((k + 1) / count,), "animate: progress", PictureError)


def _write_gif(target: Path, frames: Iterator[Frame], fps: float) -> None:
    """Frames with one palette; delays are whole hundredths of a second, which add up to the true time."""
    from PIL import Image  # comes with matplotlib

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


def _write_mp4(target: Path, frames: Iterator[Frame], fps: float) -> None:
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
