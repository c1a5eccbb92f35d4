import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { VmRecord } from '../../local/azure/arm/armState.ts'
import type { LoggedRequest } from '../../local/azure/requestLog.ts'
import type { LocalAzure } from '../../local/azure/startAzure.ts'
import { startInformer } from '../../local/cluster/client/informer.ts'
import { PODS } from '../../local/cluster/client/resource.ts'
import { isRunning } from '../../local/demo/printPods.ts'
import { applyManifests } from '../../local/stack/applyManifests.ts'
import type { StackOptions } from '../../local/stack/stackOptions.ts'
import { startStack } from '../../local/stack/startStack.ts'
import { defined } from '../../shared/base/values.ts'
import type { MadeMachine } from './outcome.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const LIMIT_MS = 8 * 60_000
const LOOK_EVERY_MS = 100
export const CPUS = 2

export type ScaleUp = Pick<StackOptions, 'speed' | 'familyCores'> & {
  readonly nodes: number
  /** What Azure refuses, set before the first pod. */
  readonly script?: (azure: LocalAzure) => void
}

export type ScaledUp = {
  readonly running: number
  /** The requests to ARM from the first pod to the last running one, with those of the app for its own upkeep. */
  readonly requests: readonly LoggedRequest[]
  /** The machines in the order of their creation. */
  readonly machines: readonly MadeMachine[]
}

/** Scales a Deployment on the app's bundle and the emulated Azure. Each pod needs a machine of its own, with two CPUs. */
export async function scaleUp({ nodes, speed, familyCores, script }: ScaleUp): Promise<ScaledUp> {
  const base = join(ROOT, '.local')
  mkdirSync(base, { recursive: true })
  const stack = await startStack({
    speed,
    directory: mkdtempSync(join(base, 'bench-azure-')),
    kubernetesPort: 0,
    functionsPort: 0,
    onAppLine: () => undefined,
    onShimLine: () => undefined,
    ...defined({ familyCores }),
  })
  try {
    const signal = AbortSignal.timeout(LIMIT_MS)
    const { client, azure } = stack
    const create = async (path: string, body: object): Promise<void> => {
      const created = await client.send({ method: 'POST', path, body, signal })
      if (!created.ok) throw new Error(`${path}: ${created.error.message}`)
    }
    await applyManifests(client, join(import.meta.dirname, 'nodepool.yaml'), signal)
    script?.(azure)
    azure.requests.clear()
    const pods = startInformer(PODS, { client, query: { labelSelector: 'app=bench' } })
    await pods.synced
    await create('/apis/apps/v1/namespaces/default/deployments', deployment(nodes))
    const runningNow = (): number => [...pods.items()].filter(isRunning).length
    while (runningNow() < nodes && !signal.aborted) await sleep(LOOK_EVERY_MS)
    const running = runningNow()
    pods.close()
    const requests = azure.requests.all().filter(({ path }) => path.startsWith('/subscriptions/'))
    return { running, requests, machines: [...azure.state().vms].sort((one, other) => one.createdAt - other.createdAt).map(madeOf) }
  } finally {
    await stack.close()
  }
}

function madeOf({ size, zone, priority }: Readonly<VmRecord>): MadeMachine {
  return { size, zone: zone ?? 'regional', capacityType: priority === 'Spot' ? 'spot' : 'on-demand' }
}

function deployment(replicas: number): object {
  const labels = { app: 'bench' }
  const resources = { requests: { cpu: '1500m', memory: '100Mi' } }
  const containers = [{ name: 'pause', image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6', resources }]
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'bench', namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  }
}
