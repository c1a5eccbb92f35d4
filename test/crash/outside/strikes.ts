import type { ClusterDeps } from '../../../shared/flows/deps/clusterDeps.ts'
import type { Answer, Stage } from './answers.ts'
import { CALLS, type CallName } from './calls.ts'
import type { OutsidePorts } from './realPorts.ts'

export type Strike = {
  readonly call: CallName
  readonly answer: Answer
  /** Of a call that makes several requests, which is answered so. Default: every request. */
  readonly stage?: Stage
  /** Only calls about this object. Default: all. */
  readonly object?: string
  /** How often. Default: until it is lifted. */
  readonly times?: number
}

/** What the flows asked of the outside, and which of it is answered wrongly. */
export type StrikeBook = {
  /** From now on; answers how to lift it. */
  strike(strike: Strike): () => void
  /** Calls made so far, by name and object. */
  readonly made: ReadonlyMap<CallName, ReadonlyMap<string, number>>
  /** Calls that were answered wrongly so far. */
  struck(): number
  /** What the flows of one process stand on, as the outside lets them see it. */
  over(deps: ClusterDeps): ClusterDeps
}

/** `outsideOf`: the real adapters before an outside that gives this answer. */
export function createStrikeBook(outsideOf: (answer: Answer, stage: Stage) => OutsidePorts): StrikeBook {
  const made = new Map<CallName, Map<string, number>>()
  const plans: { readonly strike: Strike; left: number }[] = []
  let struck = 0

  function note(call: CallName, object: string): void {
    const counts = made.get(call) ?? new Map<string, number>()
    counts.set(object, (counts.get(object) ?? 0) + 1)
    made.set(call, counts)
  }

  function take(call: CallName, object: string): Strike | undefined {
    const plan = plans.find(({ strike, left }) => left > 0 && strike.call === call && (strike.object ?? object) === object)
    if (plan === undefined) return undefined
    plan.left -= 1
    struck += 1
    return plan.strike
  }

  function overPort<Name extends keyof OutsidePorts>(name: Name, port: OutsidePorts[Name]): OutsidePorts[Name] {
    const methods = Object.keys(CALLS[name]).map((method) => {
      const call = `${name}.${method}` as CallName
      const through = (...args: readonly unknown[]): unknown => {
        const object = name === 'log' ? '' : objectOf(args[0])
        note(call, object)
        const hit = take(call, object)
        const target = hit === undefined ? port : outsideOf(hit.answer, hit.stage ?? 'every request')[name]
        return (target[method as keyof typeof target] as (...all: readonly unknown[]) => unknown)(...args)
      }
      return [method, through]
    })
    return Object.fromEntries(methods) as OutsidePorts[Name]
  }

  return {
    made,
    struck: () => struck,
    strike(strike) {
      const plan = { strike, left: strike.times ?? Number.POSITIVE_INFINITY }
      plans.push(plan)
      return () => {
        plan.left = 0
      }
    },
    over: (ports) => ({
      ...ports,
      api: overPort('api', ports.api),
      cloud: overPort('cloud', ports.cloud),
      catalog: overPort('catalog', ports.catalog),
      facts: overPort('facts', ports.facts),
      log: overPort('log', ports.log),
      ledger: overPort('ledger', ports.ledger),
      lease: overPort('lease', ports.lease),
      decisions: overPort('decisions', ports.decisions),
      offerings: overPort('offerings', ports.offerings),
      queue: overPort('queue', ports.queue),
    }),
  }
}

/** The name of what a call is about, by its first argument; empty where it is about the cluster as a whole. */
function objectOf(subject: unknown): string {
  if (typeof subject === 'string') return subject
  if (typeof subject !== 'object' || subject === null) return ''
  const named: { readonly [member: string]: unknown } = { ...subject }
  for (const member of ['claim', 'subject', 'name', 'key']) {
    const found = named[member]
    if (found !== undefined) return objectOf(found)
  }
  return ''
}
