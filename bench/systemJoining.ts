// The time that the control plane takes for pods whose machines join meanwhile, without Joiner: no provisioner can be faster.
import type { KubeClient } from '../local/cluster/client/kubeClient.ts'
import type { Machine, MachineListener, MachineSource } from '../local/machine.ts'
import type { Stack } from '../local/stack/startStack.ts'
import type { Filled, SystemLoad } from './systemLoad.ts'
import { type ProcessTimes, processTimes, spentBetween } from './systemProcesses.ts'

/** More machines than were bought, since kube-scheduler fills nodes in another order than planned. Few pods may still find no room. */
const SPARE_MACHINES = 10
const TOKEN = /\b([a-z0-9]{6})\.([a-z0-9]{16})\b/
const TAINT = /,?karpenter\.sh\/unregistered:NoExecute/
const NO_TAINTS = /--register-with-taints= /
const GROUP = 'system:bootstrappers:joiner'
const TOKENS_LIMIT_MS = 60_000

/** Keeps the machines that booted, and boots them again. */
export interface MachineReplay {
  /** Wraps the source of machines for kubelets and controllers. */
  readonly watching: (source: MachineSource) => MachineSource
  /** Makes a bootstrap token for each machine that was seen, and for a few more machines. Returns the machines, without the taint that Joiner removes. */
  prepare(client: KubeClient, signal: AbortSignal): Promise<readonly Machine[]>
  boot(machines: readonly Machine[]): void
}

export function createMachineReplay(): MachineReplay {
  const seen = new Map<string, Machine>()
  const listeners: MachineListener[] = []
  return {
    watching: (source) => ({
      listen(listener) {
        listeners.push(listener)
        const started = (machine: Machine): void => {
          seen.set(machine.id, machine)
          listener.started(machine)
        }
        return source.listen({ started, stopped: (machine) => listener.stopped(machine) })
      },
    }),
    async prepare(client, signal) {
      const first = [...seen.values()]
      const spare = first
        .slice(0, SPARE_MACHINES)
        .map((machine) => ({ ...machine, id: `${machine.id}-more`, name: `${machine.name}-more` }))
      const machines = [...first, ...spare].map(untainted)
      for (const machine of machines) await putToken(client, machine, signal)
      return machines
    },
    boot(machines) {
      for (const machine of machines) for (const listener of listeners) listener.started(machine)
    },
  }
}

/** `seconds`: processor time by process. */
export type Joining = Filled & { readonly machines: number; readonly seconds: { readonly [process: string]: number } }

/** Stops app and shim for good, and runs the pods while the machines of the steps before join. No node may be left. */
export async function measureJoining(stack: Stack, load: SystemLoad, replay: MachineReplay, pods: number): Promise<Joining> {
  await stack.shim.stop()
  await stack.functions.child.stop()
  const machines = await replay.prepare(stack.client, AbortSignal.timeout(TOKENS_LIMIT_MS))
  const looked = (): ProcessTimes => processTimes(new Map([[process.pid, 'emulators']]))
  const before = looked()
  replay.boot(machines)
  const filled = await load.fill(pods)
  return { ...filled, machines: machines.length, seconds: spentBetween(before, looked()) }
}

/** The figures for a person. `floorMs`: the time of the same pods on existing nodes. */
export function joiningLines({ machines, running, runningMs, seconds }: Joining, floorMs: number): readonly string[] {
  const multiple = (runningMs / floorMs).toFixed(2)
  return [
    `without Joiner, while ${machines} machines join: ${running} pods run after ${runningMs} ms, ${multiple} times the floor`,
    `without Joiner, while ${machines} machines join: seconds of processor time: ${JSON.stringify(seconds)}`,
  ]
}

/** Copies the machine. The copy has its own bootstrap token and lacks the taint that Joiner removes. */
function untainted(machine: Machine, index: number): Machine {
  const id = index.toString(36).padStart(6, '0')
  const script = scriptOf(machine).replace(TOKEN, `${id}.$2`).replace(TAINT, '').replace(NO_TAINTS, '')
  return { ...machine, customData: Buffer.from(script).toString('base64') }
}

function scriptOf({ customData }: Machine): string {
  return Buffer.from(customData, 'base64').toString('utf8')
}

async function putToken(client: KubeClient, machine: Machine, signal: AbortSignal): Promise<void> {
  const [, id = '', secret = ''] = TOKEN.exec(scriptOf(machine)) ?? []
  const stringData = {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': `${GROUP},${GROUP}:${machine.name}`,
  }
  const metadata = { namespace: 'kube-system', name: `bootstrap-token-${id}` }
  const body = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'bootstrap.kubernetes.io/token', stringData }
  const answer = await client.send({ method: 'POST', path: '/api/v1/namespaces/kube-system/secrets', body, signal })
  if (!answer.ok) throw new Error(`bootstrap token of ${machine.name}: ${answer.error.message}`)
}
