#!/bin/sh
# After the files are installed: make the user that runs the server, and start what ran before.
set -e

if ! id errand >/dev/null 2>&1; then
	useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin errand
fi
if [ -f /etc/errand/errand.env ]; then
	chown root:errand /etc/errand/errand.env
	chmod 0640 /etc/errand/errand.env
fi
# Where systemd does not run, as in an image that is being built, there is nothing to start.
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart errand.service
	if ! systemctl is-enabled --quiet errand.service; then
		echo "Errand is installed. Settings are in /etc/errand/errand.env; start it with: systemctl enable --now errand"
	fi
fi
