import { createRandom, type Random } from '../agreement/random.ts'
import { PROXY_NAMES, type ProxyName } from './faultProxies.ts'

/** A step of the user. The largest numbers of pods of `app` and `limited` bound the cost of a seed. */
export type LoadStep =
  | { readonly kind: 'scale'; readonly name: 'app' | 'limited'; readonly replicas: number }
  | { readonly kind: 'roll'; readonly name: 'app' }
  | { readonly kind: 'job'; readonly pods: number }
  /** Deletes the object at this index of the list sorted by name, if there is one. */
  | { readonly kind: 'deleteClaim' | 'deleteNode' | 'deletePod'; readonly index: number }

export type Fault =
  | { readonly kind: 'kill'; readonly who: 'host' | 'second host' | 'shim' | 'second shim' }
  | { readonly kind: 'cut'; readonly proxy: ProxyName }
  | { readonly kind: 'down'; readonly proxies: readonly ProxyName[]; readonly ms: number }
  | { readonly kind: 'loseRequest' | 'loseAnswer' | 'refuse' | 'throttle'; readonly proxy: ProxyName; readonly times: number }
  | { readonly kind: 'late'; readonly proxy: ProxyName; readonly times: number; readonly ms: number }
  /** Without a control plane of its own, the environment shuts the proxies to the API server instead. */
  | { readonly kind: 'restartApiServer' }
  /** Ends the lease of the writer while the writer holds it. */
  | { readonly kind: 'breakLease' }
  /** Takes the Lease from the leading shim. */
  | { readonly kind: 'takeLead' }

export type Timed<What> = { readonly at: number; readonly what: What }

export type Plan = {
  readonly seed: number
  readonly load: readonly Timed<LoadStep>[]
  readonly faults: readonly Timed<Fault>[]
  /** The numbers of pods while the load rests, before the load is removed. */
  readonly rest: { readonly app: number; readonly limited: number }
}

/** The number of pods that the limit of the limited pool allows. */
export const LIMITED_MOST = 2
const LASTS_MS = 9_000
const STEPS = 6
const FAULTS = 9
const MOST_PODS = 5

/** The plan of the seed. The same seed gives the same plan. */
export function planOf(seed: number): Plan {
  const random = createRandom(seed)
  const rest = { app: 1 + random.int(MOST_PODS - 1), limited: random.int(LIMITED_MOST + 2) }
  const first: Timed<LoadStep> = { at: 0, what: { kind: 'scale', name: 'app', replicas: 2 + random.int(MOST_PODS - 1) } }
  const others = Array.from({ length: STEPS }, () => ({ at: 500 + random.int(LASTS_MS - 500), what: loadStep(random) }))
  const last = (['app', 'limited'] as const).map((name) => ({ at: LASTS_MS, what: { kind: 'scale', name, replicas: rest[name] } as const }))
  const faults = Array.from({ length: FAULTS }, () => ({ at: random.int(LASTS_MS), what: someFault(random) }))
  const inTime = <What>(timed: readonly Timed<What>[]) => [...timed].sort((one, other) => one.at - other.at)
  return { seed, load: inTime([first, ...others, ...last]), faults: inTime(faults), rest }
}

function loadStep(random: Random): LoadStep {
  const index = random.int(MOST_PODS)
  return random.pick<() => LoadStep>([
    () => ({ kind: 'scale', name: 'app', replicas: random.int(MOST_PODS + 1) }),
    () => ({ kind: 'scale', name: 'app', replicas: random.int(MOST_PODS + 1) }),
    () => ({ kind: 'scale', name: 'limited', replicas: random.int(LIMITED_MOST + 2) }),
    () => ({ kind: 'roll', name: 'app' }),
    () => ({ kind: 'job', pods: 1 + random.int(2) }),
    () => ({ kind: 'deleteClaim', index }),
    () => ({ kind: 'deleteClaim', index }),
    () => ({ kind: 'deleteNode', index }),
    () => ({ kind: 'deletePod', index }),
  ])()
}

function someFault(random: Random): Fault {
  const proxy = random.pick(PROXY_NAMES)
  const times = 1 + random.int(3)
  return random.pick<() => Fault>([
    () => ({ kind: 'kill', who: random.pick(['host', 'host', 'second host', 'shim', 'second shim'] as const) }),
    () => ({ kind: 'kill', who: random.pick(['host', 'second host', 'shim'] as const) }),
    () => ({ kind: 'cut', proxy }),
    () => ({ kind: 'down', proxies: [proxy], ms: 300 + random.int(3_000) }),
    () => ({ kind: 'loseAnswer', proxy: random.pick(['arm', 'kube', 'blob', 'queue'] as const), times }),
    () => ({ kind: 'loseAnswer', proxy, times }),
    () => ({ kind: 'loseRequest', proxy, times }),
    () => ({ kind: random.pick(['refuse', 'throttle'] as const), proxy, times }),
    () => ({ kind: 'late', proxy, times, ms: 500 + random.int(3_000) }),
    () => random.pick<Fault>([{ kind: 'restartApiServer' }, { kind: 'breakLease' }, { kind: 'takeLead' }]),
  ])()
}

/** The plan as text, with the command that plays it again. */
export function printPlan({ seed, load, faults }: Plan): string {
  const all = [...load, ...faults].sort((one, other) => one.at - other.at)
  return [
    `plan of seed ${seed} (again: CHAOS_SEED=${seed}):`,
    ...all.map(({ at, what }) => `  ${String(at).padStart(5)} ms ${JSON.stringify(what)}`),
  ].join('\n')
}
