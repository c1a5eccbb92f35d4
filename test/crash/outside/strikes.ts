import type { ClusterDeps } from '../../../shared/flows/deps/clusterDeps.ts'
import type { Answer, Stage } from './answers.ts'
import { CALLS, type CallName } from './calls.ts'
import type { OutsidePorts } from './realPorts.ts'

export type Strike = {
  readonly call: CallName
  readonly answer: Answer
  /** For a call of several requests, the request that gets the answer. Default: every request. */
  readonly stage?: Stage
  /** Only calls about this object. Default: all. */
  readonly object?: string
  /** The number of struck calls. Default: all until the strike is lifted. */
  readonly times?: number
}

/** The outside calls of the flows, and the strikes that give some of them a wrong answer. */
export type StrikeBook = {
  /** Begins a strike. Returns a function that lifts it. */
  strike(strike: Strike): () => void
  /** Calls made so far, by name and object. */
  readonly made: ReadonlyMap<CallName, ReadonlyMap<string, number>>
  /** The number of calls that got a wrong answer so far. */
  struck(): number
  /** The dependencies of one process, with its outside calls counted and struck. */
  over(deps: ClusterDeps): ClusterDeps
}

/** `outsideOf` returns the real adapters with servers that give this answer. */
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

/** The name of the object of a call, from its first argument. Empty if the call is about the whole cluster. */
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
