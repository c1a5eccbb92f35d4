import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { createRandom } from '../scheduling/random.ts'

/** A layer between the flows and the API server and Azure. It counts calls, and lets some of them fail while `failing` is above 0. */
export type CountedPorts = {
  readonly between: (deps: ClusterDeps) => ClusterDeps
  /** Calls since the last `begin`, by port and name: `api.patchClaim`. */
  readonly calls: ReadonlyMap<string, number>
  /** Resets the counts. From now on the share `failing` of the calls fails: half of these are refused (429), the answers of the others are lost. */
  begin(failing?: number): void
}

const SEED = 20

export function createCountedPorts(): CountedPorts {
  const calls = new Map<string, number>()
  const random = createRandom(SEED)
  let share = 0

  async function call(name: string, make: () => Promise<unknown>): Promise<unknown> {
    calls.set(name, (calls.get(name) ?? 0) + 1)
    const drawn = random.next()
    if (drawn < share / 2) throw new Fault(name, problem('AZURE.THROTTLED', 'too many requests'))
    const answer = await make()
    if (drawn < share) throw new Fault(name, problem('KUBE.FAILED', 'the answer was lost'))
    return answer
  }

  function counted<Port extends object>(prefix: string, port: Port): Port {
    const wrapped = Object.entries(port).map(([name, method]: [string, unknown]) => [
      name,
      typeof method === 'function' ? (...args: unknown[]) => call(`${prefix}.${name}`, () => Promise.resolve(method(...args))) : method,
    ])
    return Object.fromEntries(wrapped)
  }

  return {
    between: (deps) => ({ ...deps, api: counted('api', deps.api), cloud: counted('cloud', deps.cloud) }),
    calls,
    begin(failing = 0) {
      calls.clear()
      share = failing
    },
  }
}
