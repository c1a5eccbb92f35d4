import { spawn } from 'node:child_process'

export type Watchdog = { add(pid: number | undefined): void; remove(pid: number | undefined): void }

/** A stopped process does not notice that its parent is gone. This shell does, and kills all processes that are still in its list. */
const SCRIPT = `
all=
while read -r word pid; do
  if [ "$word" = add ]; then all="$all $pid"; continue; fi
  left=
  for each in $all; do [ "$each" = "$pid" ] || left="$left $each"; done
  all=$left
done
[ -z "$all" ] || kill -KILL $all`

export function startWatchdog(): Watchdog {
  // not in the group of this process: a signal to the group must not end it before the others
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.stdin.on('error', () => undefined)
  shell.unref()
  const say = (word: string, pid: number | undefined): void => {
    if (pid !== undefined) shell.stdin.write(`${word} ${pid}\n`)
  }
  return { add: (pid) => say('add', pid), remove: (pid) => say('remove', pid) }
}
