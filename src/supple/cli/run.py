"""``supple run``: simulate a system, tell what came out, and save it."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supple.checks import positive_float
from supple.cli import pictures
from supple.cli.catalogue import build, known_name, settings_of
from supple.cli.console import figures, note, say
from supple.cli.describe import method_text, station, suggested_method, vector, watched
from supple.cli.failures import UsageError
from supple.cli.methods import make_method
from supple.cli.options import Name, NoPlots, Out, Settings
from supple.cli.progress import Bar
from supple.cli.robot_files import is_file
from supple.cli.run_folder import Request, RunFolder
from supple.cli.signals import Interrupted, asking
from supple.errors import SimulationError, SuppleError
from supple.solvers.integrators import Method
from supple.solvers.integrators.method import methods
from supple.solvers.motion.trajectory import Trajectory
from supple.systems import System

if TYPE_CHECKING:
    from supple.model.model import Model


#: Part of a run that is made to load kernels.
GLIMPSE = 1e-7


def run(
    name: Name,
    method: Annotated[
        str | None, typer.Option(metavar="M", help=f"One of {', '.join(methods())}; what suits the system if omitted.")
    ] = None,
    t_end: Annotated[float | None, typer.Option("--t-end", help="End time, s.")] = None,
    dt: Annotated[float | None, typer.Option(help="Fixed step, s, of methods that have one.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of methods that adapt their step.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance, likewise.")] = None,
    settings: Settings = None,
    out: Out = None,
    video: Annotated[bool, typer.Option("--video", help="Also make a video, in the folder of the results.")] = False,
    video_file: Annotated[
        Path | None, typer.Option("--video-file", metavar="FILE", help="Make the video here (.mp4, .gif).")
    ] = None,
    no_plots: NoPlots = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the interrupted run in the folder.")] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Throw an interrupted run away and begin anew.")] = False,
) -> None:
    """Simulate a system as its source does, or as you say, and save motion and pictures.

    The folder ./NAME (or --out) gets trajectory.npz, plots.png, snapshots.png and run.json. Ctrl-C saves what is
    there; --resume goes on with it, and ends as if nothing had happened.

    Examples:

    - `supple run cable-manipulator`
    - `supple run fin-ray --t-end 2 --set stroke=0.01 --out results/short`
    - `supple run serial-arm --method generalized-alpha --dt 0.001 --video`
    - `supple run fin-ray --resume`
    - `supple run arm.yaml --t-end 2`
    """
    if resume and restart:
        raise UsageError("--resume goes on with a run and --restart throws it away: give one of them")
    if video_file is not None and not video_file.parent.is_dir():
        raise UsageError(f"--video-file: there is no folder {video_file.parent}")
    request = Request(known_name(name), settings_of(settings), method, t_end, dt, rtol, atol)
    own = Path(request.system).stem if is_file(request.system) else request.system
    folder = RunFolder(Path(own) if out is None else out)
    if resume:
        request = folder.resumed(request)
    system, model = build(request.system, request.settings)
    options = {"dt": request.dt, "rtol": request.rtol, "atol": request.atol}
    chosen = make_method(request.method, options, suggested_method(system, model), system.dt)
    end = _end_time(request, system)
    if not resume:
        folder.begin(request, restart)
    trajectory = _simulate(request.system, system, model, end, chosen, folder, resume)
    folder.write(request, stats=trajectory.stats)
    _tell(system, model, chosen, trajectory)
    _save_pictures(system, model, trajectory, folder, no_plots, video_file, video)


def _end_time(request: Request, system: System) -> float:
    return system.t_end if request.t_end is None else positive_float(request.t_end, "--t-end", "s")


def _simulate(
    name: str, system: System, model: Model, end: float, method: Method, folder: RunFolder, resume: bool
) -> Trajectory:
    """The motion, saved; also that of a run that was interrupted or failed, which then raises."""
    checkpoint: Path | None = folder.checkpoint
    if any(callable(event.action) for event in system.events):
        note("this system switches at events: an interrupted run cannot go on", "note:", "yellow")
        checkpoint = None
    _load_kernels(system, model, end, method)
    note(f"{system.name}: {model.n} coordinates, {end:g} s with {method_text(method)}")
    with asking() as interrupt, Bar(system.name, 0.0, end, " s") as bar:

        def report(t: float, h: float) -> bool:
            bar.update(t, f", step {h:.2g} s")
            return interrupt.made

        try:
            options = {"checkpoint": checkpoint, "resume": resume}
            trajectory = system.simulate(model, end, method, progress=report, **options)
        except SimulationError as error:
            if error.trajectory is not None and len(error.trajectory):
                error.trajectory.save(folder.trajectory)
                note(f"the motion up to {error.t:.6g} s is saved to {folder.trajectory}")
            raise
        trajectory.save(folder.trajectory)
    if trajectory.stats["stopped"]:
        saved = f"at t = {trajectory.t[-1]:.6g} of {end:g} s; the motion so far is in {folder.trajectory}"
        go_on = shlex.join(["supple", "run", name, "--out", str(folder.path), "--resume"])
        raise Interrupted(saved if checkpoint is None else f"{saved}; to go on: {go_on}")
    folder.checkpoint.unlink(missing_ok=True)
    if interrupt.made:  # too late to stop the run, not to omit the rest
        raise Interrupted(f"the run had ended; its motion is in {folder.trajectory}, pictures are omitted")
    return trajectory


def _load_kernels(system: System, model: Model, end: float, method: Method) -> None:
    """Compile or load all that the run needs, by a glimpse of it: the time that is told is that of the run alone."""
    with suppress(SuppleError):  # the run itself will tell
        system.simulate(model, GLIMPSE * end, method, progress=False)


def _tell(system: System, model: Model, method: Method, trajectory: Trajectory) -> None:
    """Print the figures of a run."""
    stats, q, v, u = trajectory.stats, trajectory.q[-1], trajectory.v[-1], trajectory.u[-1]
    energy = model.energy(q, v, u)
    lines = [
        ("simulated", f"{trajectory.t[-1]:g} s in {stats['seconds']:.3g} s"),
        ("real-time factor", f"{stats['real_time_factor']:.3g}"),
        ("method", method_text(method)),
        ("steps", f"{stats['steps']} ({stats['rejected']} rejected), {stats['residuals']} residuals"),
    ]
    lines += [(station(link, s), vector(model.pose(q, link, s)[:3, 3], "m")) for link, s in watched(system, model)]
    parts = [(name, getattr(energy, name)) for name in energy._fields] + [("total", energy.total)]
    lines.append(("energy", ", ".join(f"{name} {value:.6g}" for name, value in parts) + " J"))
    if model.nc:
        position, velocity = stats["position_error"], stats["velocity_error"]
        lines.append(("error of loops", f"{position:.1e} (rad, m), {velocity:.1e} (per s)"))
    figures(lines)


def _save_pictures(
    system: System,
    model: Model,
    trajectory: Trajectory,
    folder: RunFolder,
    no_plots: bool,
    video_file: Path | None,
    video: bool,
) -> None:
    """Draw what is wanted, and tell where everything is."""
    say(f"saved {folder.trajectory}")
    wanted = video or video_file is not None
    if (no_plots and not wanted) or not pictures.can_draw():
        return
    watch = watched(system, model)
    if not no_plots:
        for file in pictures.draw_run(trajectory, folder.path, watch):
            say(f"saved {file}")
    if wanted:
        with Bar("video", 0.0, 100.0, " %") as bar:
            target = pictures.video_file(folder.path) if video_file is None else video_file
            pictures.film(trajectory, target, watch, lambda fraction: bar.update(100.0 * fraction))
        say(f"saved {target}")
