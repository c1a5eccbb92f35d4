/** The programs of a smoke run's pods, run by a real shell, with the services of the emulator in place of those of a machine. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalAzure } from '../../local/azure/startAzure.ts'
import type { Pod } from '../../local/cluster/client/objects.ts'
import type { ProgramEnd, Programs } from '../../local/kubelet/podWorkers.ts'
import type { Machine } from '../../local/machine.ts'

/** How the programs of an image with busybox answer. A pause of the script is short here, as the time of the emulator is. */
const TOOLS = {
  nslookup: `#!/bin/sh
printf 'Server:\\t\\t10.0.0.10\\nAddress:\\t10.0.0.10:53\\n\\n'
if [ -e "$BROKEN_DNS" ]; then echo "** server can't find $1: NXDOMAIN"; exit 1; fi
printf 'Name:\\t%s\\nAddress: 10.0.0.1\\n\\n' "$1"
# Without an address of IPv6, the program of busybox fails although it has found one of IPv4.
echo "*** Can't find $1: No answer"; exit 1
`,
  wget: `#!${process.execPath}
const url = process.argv.at(-1)
const header = process.argv[process.argv.indexOf('--header') + 1] ?? ''
const [name, value] = header.split(': ')
fetch(url, { headers: { [name]: value } }).then(async (answer) => {
  process.stdout.write(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
}, () => { process.exitCode = 1 })
`,
  sleep: '#!/bin/sh\nexec /bin/sleep 0.2\n',
}

export type SmokePrograms = {
  readonly on: (machine: Machine) => Programs
  /** DNS finds no name from now on, or it does again. */
  readonly breakDns: (isBroken: boolean) => void
  readonly close: () => void
}

export function createSmokePrograms(azure: Pick<LocalAzure, 'imdsUrl'>): SmokePrograms {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-smoke-'))
  const bin = join(folder, 'bin')
  const logs = join(folder, 'logs')
  for (const each of [bin, logs]) mkdirSync(each)
  for (const [name, text] of Object.entries(TOOLS)) {
    writeFileSync(join(bin, name), text)
    chmodSync(join(bin, name), 0o755)
  }
  writeFileSync(
    join(logs, 'cluster-provision.log'),
    'TLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef\nCustom script finished. API server connection check code: 0\n',
  )
  const broken = join(folder, 'broken-dns')
  let runs = 0
  const run = (pod: Pod, machine: Machine, off: AbortSignal): Promise<ProgramEnd> => {
    const [container] = pod.spec.containers
    const [program = '', ...args] = container?.command ?? []
    const own = join(folder, `run-${++runs}`)
    mkdirSync(own)
    const out = join(own, 'out')
    const given = Object.fromEntries((container?.env ?? []).map(({ name, value = '' }) => [name, value]))
    const places = { OUT: out, ANSWER: join(own, 'answer'), READY: join(own, 'ready'), LOGS: logs, IMDS: azure.imdsUrl(machine.name) }
    const env = { ...given, ...places, BROKEN_DNS: broken, PATH: `${bin}:/usr/bin:/bin` }
    return new Promise((resolve) => {
      const child = spawn(program, args, { env, stdio: 'ignore', signal: off })
      child.on('error', () => resolve({ exitCode: 137, message: '' }))
      child.on('close', (code) => resolve({ exitCode: code ?? 137, message: existsSync(out) ? readFileSync(out, 'utf8') : '' }))
    })
  }
  return {
    on: (machine) => (pod) => (pod.metadata.labels?.['joiner.dev/smoke'] === undefined ? undefined : (off) => run(pod, machine, off)),
    breakDns: (isBroken) => (isBroken ? writeFileSync(broken, '') : rmSync(broken, { force: true })),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
