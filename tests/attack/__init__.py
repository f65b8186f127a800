"""What a hostile world does to ciphermark, over and over: kills, full disks, corrupt files, hostile
text, plans that nobody would write, libraries that lie, signals, streams that end, files of others,
bombs, reads that fail, containers.

    make attack MINUTES=30                                        all kinds, and a table at the end
    PYTHONPATH=tests python -m attack --seed 1 --only corrupt --try 371    one try again

Each try is derived from the seed, its kind and its number alone. A kind is a module of `kinds/`
with a function that makes one try and raises `Failure` for what must never happen. Adding one: a
file there, and a line in `kinds/__init__.py`.
"""
