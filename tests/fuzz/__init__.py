"""Campaigns of random and hostile use: short and with fixed seeds as tests, long by command.

    python -m tests.fuzz robots --count 10000 --seed 1

A campaign is a module here with a function ``campaign(count, seed, say) -> Report``; the names below are those that
the command knows.  Whatever fails prints the seed that brings it back: ``--count 1 --seed`` and that number.
"""

#: Campaigns, and what they try.
CAMPAIGNS = {
    "robots": "random robots with all kinds of links, joints and loads, in good, extreme and poisoned states",
    "arguments": "hostile arguments to every public name, in processes of their own",
    "loops": "statics of random robots with loops, planar and spatial, from random starts",
    "gradients": "derivatives of motions of random robots by random methods, against replays",
    "files": "checkpoints and trajectories that were damaged, edited or exchanged",
    "model_files": "model files and URDFs, mutated: loaded, or refused with file, line and key",
    "kills": "runs with checkpoints, killed at random moments and resumed",
}
