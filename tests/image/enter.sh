# sh enter.sh ROOT rw|ro COMMAND …: in mount and process namespaces of its own, with ROOT as its root and COMMAND as process 1.
# BINDS has lines "OUTSIDE INSIDE". `ro` leaves /tmp, /run and the binds writable, as `docker run --read-only --tmpfs /tmp` does.
set -e
root=$1 mode=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t tmpfs -o mode=755 dev dev
for device in null zero full random urandom tty; do
    : >"dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for number in 0:stdin 1:stdout 2:stderr; do
    ln -s "/proc/self/fd/${number%:*}" "dev/${number#*:}"
done
mount --bind /sys sys
mount -o remount,ro,bind sys
mount -t tmpfs -o mode=755 cgroup sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 run run
mount -t tmpfs -o mode=1777 tmp tmp
printf '%s\n' "$BINDS" | while read -r outside inside; do
    [ -z "$outside" ] && continue
    mkdir -p ".$inside"
    mount --bind "$outside" ".$inside"
done
[ "$mode" = ro ] && mount -o remount,ro,bind .
mkdir -p run/outside
pivot_root . run/outside
cd /
umount -l /run/outside
rmdir /run/outside
exec env -i "$@"
