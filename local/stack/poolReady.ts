import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'

type Pool = {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[] }
}

/** The path of the sample NodePool. */
export const POOL_PATH = '/apis/karpenter.sh/v1/nodepools/default'
const LOOK_EVERY_MS = 100
const GIVE_UP_MS = 20_000

/** Waits until the sample NodePool is ready, as `kubectl wait --for=condition=Ready` does. */
export async function poolReady(client: KubeClient, signal: AbortSignal, giveUpMs = GIVE_UP_MS): Promise<void> {
  const end = Date.now() + giveUpMs
  for (;;) {
    const got = await client.send<Pool>({ method: 'GET', path: POOL_PATH, signal })
    const ready = got.ok ? got.value.status?.conditions?.find((condition) => condition.type === 'Ready') : undefined
    if (ready?.status === 'True') return
    if (Date.now() > end) {
      const why = ready?.message ?? (got.ok ? 'its status says nothing yet' : got.error.message)
      throw new Fault('wait for nodepool default', problem('POOL.NOT_READY', `it is not ready after ${giveUpMs / 1000} s: ${why}`))
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
