#!/bin/sh
# Before the files are removed. The data in /var/lib/errand stays: delete it by hand when nobody needs it.
set -e

case "$1" in
remove | 0) # by dpkg, by rpm; an upgrade goes on running until postinstall restarts it
	if [ -d /run/systemd/system ]; then
		systemctl disable --now errand.service
	fi
	;;
esac
