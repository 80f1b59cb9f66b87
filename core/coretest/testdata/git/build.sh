#!/usr/bin/env bash
# Makes history.zip, the .git of a project for cases, with git and zip: two commits in a
# pack, a third commit as loose objects, a tag and a branch. Tests do not need to run it,
# because history.zip is committed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 TZ=UTC
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.com GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=ann@example.com
on() { export GIT_AUTHOR_DATE="$1T03:04:05Z" GIT_COMMITTER_DATE="$1T03:04:05Z"; }
git init -q -b main --template=
mkdir src hidden
printf 'one\n' >src/a.txt
printf 'removed text\n' >src/gone.txt
printf 'classified\n' >hidden/secret.txt
printf 'PASSWORD=x\n' >.env
seq 1 60 >src/long.txt
ln -s ../hidden/secret.txt src/link.txt
git add .
on 2026-01-02 && git commit -q -m first
git tag v1
printf 'one\ntwo\n' >src/a.txt
seq 1 61 >src/long.txt
printf 'classified more\n' >hidden/secret.txt
git rm -q src/gone.txt
on 2026-01-03 && git commit -q -a -m 'second: more'
git branch pub
git gc -q
git update-server-info 2>/dev/null || true
printf 'one\ntwo\nthree\n' >src/a.txt
on 2026-01-04 && git commit -q -a -m third
rm -rf .git/logs .git/hooks .git/info .git/objects/info .git/COMMIT_EDITMSG .git/ORIG_HEAD .git/description .git/branches
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = Ann\n\temail = ann@example.com\n' >.git/config
find .git -type f -exec touch -d 2026-01-04T00:00:00Z {} +
rm -f "$here/history.zip"
find .git -type f | LC_ALL=C sort | zip -q -X -9 "$here/history.zip" -@
