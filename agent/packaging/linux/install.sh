#!/bin/sh
# Installs the agent, or its next version in place:  sudo ./install.sh [--prefix DIR] [--uninstall]
# Configuration and journal lie elsewhere (docs/agent.md) and stay in any case.
set -e
here=$(cd "$(dirname "$0")" && pwd)
prefix=/opt/instrument-watcher
uninstall=
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) prefix=$2 && shift ;;
    --uninstall) uninstall=yes ;;
    *) echo "usage: $0 [--prefix DIR] [--uninstall]" >&2 && exit 2 ;;
    esac
    shift
done
entry= command=
if [ "$prefix" = /opt/instrument-watcher ]; then
    entry=/usr/local/share/applications/instrument-watcher.desktop command=/usr/local/bin/instrument-watcher
fi
if [ -n "$uninstall" ]; then
    if [ -d /run/systemd/system ]; then "$prefix/bin/instrument-watcher" service uninstall --every; fi
    rm -rf "$prefix/lib" "$prefix/bin" "$prefix/pyvenv.cfg" ${entry:+"$entry"}
    [ "$(readlink "$command")" != "$prefix/bin/instrument-watcher" ] || rm "$command"
    rmdir "$prefix" 2>/dev/null || true
    exit
fi
python=
for version in 3.14 3.13 3.12 3.11; do # its own word for itself: what is found may be a script that chooses among several
    [ -n "$python" ] || python=$(PATH=/usr/bin:/usr/local/bin:$PATH "python$version" -c 'import sys; print(sys.executable)' 2>&-) || python=
done
[ -n "$python" ] || { echo "Python 3.11, 3.12, 3.13 or 3.14 is needed, and none was found." >&2 && exit 1; }
mkdir -p "$prefix/bin"
rm -rf "$prefix/lib.new" && cp -R "$here/lib" "$prefix/lib.new"
rm -rf "$prefix/lib" && mv "$prefix/lib.new" "$prefix/lib"
ln -sf "$python" "$prefix/bin/python"
printf 'home = %s\ninclude-system-site-packages = false\n' "$(dirname "$python")" >"$prefix/pyvenv.cfg"
printf '#!/bin/sh\nexec "%s/bin/python" -m instrument_watcher "$@"\n' "$prefix" >"$prefix/bin/instrument-watcher"
chmod 755 "$prefix/bin/instrument-watcher"
if [ -n "$entry" ]; then
    mkdir -p "$(dirname "$entry")"
    sed "s|instrument-watcher open|$prefix/bin/instrument-watcher open|g" "$here/instrument-watcher.desktop" >"$entry"
    ln -sf "$prefix/bin/instrument-watcher" "$command"
fi
"$prefix/bin/instrument-watcher" --version
if [ -d /run/systemd/system ]; then
    for unit in $(grep -ls "$prefix/bin/python" /etc/systemd/system/*.service); do
        systemctl try-restart "$(basename "$unit")"
    done
fi
