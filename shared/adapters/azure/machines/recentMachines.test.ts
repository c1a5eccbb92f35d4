import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NodeClaimName, nodeClaimName } from '../../../model/ids.ts'
import type { Instance, InstanceState } from '../../../model/instance.ts'
import { Fault, problem } from '../../../model/problem.ts'
import { epochMs } from '../../../model/units.ts'
import { createRecentMachines } from './recentMachines.ts'

const SIGNAL = new AbortController().signal
const NAMES = Array.from({ length: 60 }, (_, at) => nodeClaimName(`default-${String(at).padStart(5, 'a')}`))
const CREATING: InstanceState = { kind: 'creating' }
const FAILED: InstanceState = {
  kind: 'failed',
  refusal: { problem: problem('AZURE.FAILED', 'it failed'), unavailable: [], then: 'next' },
}

/** Machines by claim. `shown`: what a list shows. Default: the truth. */
function cloud({ pages = 1, shown }: { readonly pages?: number; readonly shown?: Map<NodeClaimName, InstanceState> } = {}) {
  const truth = new Map<NodeClaimName, InstanceState>()
  const calls = { lists: 0, gets: 0 }
  let now = 1_000_000
  let failing: Error | undefined
  const instance = (claim: NodeClaimName, state: InstanceState) => ({ claim, name: claim, state }) as unknown as Instance
  const look = createRecentMachines({
    clock: { now: () => epochMs(now) },
    list: async () => {
      calls.lists += 1
      await Promise.resolve()
      if (failing !== undefined) throw failing
      return { instances: [...(shown ?? truth)].map(([claim, state]) => instance(claim, state)), pages }
    },
    get: async (claim) => {
      calls.gets += 1
      const state = truth.get(claim)
      return state && instance(claim, state)
    },
  })
  return {
    truth,
    calls,
    fail: (error: Error) => void (failing = error),
    pass: (ms: number) => void (now += ms),
    look: async (claim: NodeClaimName) => (await look(claim, SIGNAL))?.state.kind,
  }
}

function first(count: number): readonly NodeClaimName[] {
  return NAMES.slice(0, count)
}

describe('looks at machines that are being made', () => {
  it('ask for one or two machines by themselves, and share one list if there are more', async () => {
    const { truth, calls, look } = cloud()
    for (const name of first(50)) truth.set(name, CREATING)
    expect(await Promise.all(first(50).map(look))).toEqual(first(50).map(() => 'creating'))
    expect(calls).toEqual({ lists: 1, gets: 2 })
  })

  it('use a list for two seconds', async () => {
    const { truth, calls, look, pass } = cloud()
    for (const name of first(3)) truth.set(name, CREATING)
    await Promise.all(first(3).map(look))
    pass(1_900)
    await look(NAMES[0] as NodeClaimName)
    expect(calls).toEqual({ lists: 1, gets: 2 })
    pass(200)
    await look(NAMES[0] as NodeClaimName)
    expect(calls).toEqual({ lists: 1, gets: 3 })
  })

  it('list no more once a list takes more calls than the looks that it answers', async () => {
    const { truth, calls, look, pass } = cloud({ pages: 20 })
    for (const name of NAMES) truth.set(name, CREATING)
    await Promise.all(first(10).map(look))
    expect(calls.lists).toBe(1)
    pass(5_000)
    await Promise.all(first(10).map(look))
    expect(calls.lists).toBe(1)
    pass(5_000)
    await Promise.all(first(60).map(look))
    expect(calls.lists).toBe(2)
  })

  it('ask for themselves if Azure does not list, and throw what is no Fault', async () => {
    const { truth, look, fail } = cloud()
    for (const name of first(5)) truth.set(name, CREATING)
    fail(new Fault('list virtual machines', problem('AZURE.THROTTLED', 'too many requests')))
    expect(await Promise.all(first(5).map(look))).toEqual(first(5).map(() => 'creating'))
    fail(new TypeError('a bug'))
    await expect(Promise.all(first(5).map(look))).rejects.toThrow('a bug')
  })

  it('take bad news from no list, whatever it shows', async () => {
    const state = fc.constantFrom<InstanceState | undefined>(undefined, CREATING, { kind: 'running' }, { kind: 'deleting' }, FAILED)
    const pair = fc.record({ truly: state, shown: state })
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 3, maxLength: 40 }), async (pairs) => {
        const shown = new Map<NodeClaimName, InstanceState>()
        const { truth, look } = cloud({ shown })
        const names = first(pairs.length)
        for (const [at, each] of pairs.entries()) {
          const name = NAMES[at] as NodeClaimName
          if (each.truly !== undefined) truth.set(name, each.truly)
          if (each.shown !== undefined) shown.set(name, each.shown)
        }
        for (const [at, seen] of (await Promise.all(names.map(look))).entries()) {
          const { truly, shown: listed } = pairs[at] ?? {}
          const alive = [listed?.kind].filter((kind) => kind === 'creating' || kind === 'running')
          expect([truly?.kind, ...alive]).toContain(seen)
        }
      }),
    )
  })
})
