#!/usr/bin/env python3
"""Runs a program on a terminal of so many columns, prints what it wrote, and then what a test wants to know.

usage: terminal.py [--interrupt] COLUMNS PROGRAM [ARGUMENTS]
After the output come "wide: ..." for each line of a picture or bar that is wider than the terminal, and "colours: N", how many colour
sequences there were. --interrupt: Ctrl-C as soon as a progress bar is seen. The status is the program's."""
import fcntl, os, pty, re, select, signal, struct, sys, termios, time, unicodedata

interrupt = sys.argv[1] == "--interrupt"
columns, program = int(sys.argv[1 + interrupt]), sys.argv[2 + interrupt:]
pid, tty = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    os.execvp(program[0], program)
text, sent, end = b"", False, time.time() + 120
while time.time() < end:
    if select.select([tty], [], [], 0.5)[0]:
        try:
            part = os.read(tty, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
        if interrupt and not sent and b"\r" in text.replace(b"\r\n", b""):
            os.write(tty, b"\x03")
            sent = True
else:
    os.kill(pid, signal.SIGKILL)
status = os.waitpid(pid, 0)[1]
shown = text.decode("utf-8", "replace")
sys.stdout.write(shown.replace("\r\n", "\n").replace("\r", "\n"))
for line in re.split(r"\r?\n|\r", shown):                # pictures and bars; sentences may wrap
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)
    width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in plain)
    if width > columns and (plain != line or re.search("[\u2500-\u259f]", plain)):
        print("\nwide: %d columns: %s" % (width, plain))
print("\ncolours:", len(re.findall(r"\x1b\[[0-9;]*[1-9][0-9;]*m", shown)))
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
