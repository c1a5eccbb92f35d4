import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LoggedRequest } from '../../local/azure/requestLog.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import type { Inventory } from '../e2e/inventory.ts'
import { planOf, printPlan } from './plan.ts'
import { leftover, machinesMade, madeTwice, problemAtRest } from './verify.ts'

const PLAN = { ...planOf(1), rest: { app: 1, limited: 3 } }
const CLAIMS = ['a', 'b', 'c']
const MACHINES = CLAIMS.map((name) => `joiner-${name}`)
const EMPTY: Inventory = { pods: [], claims: [], nodes: [], vms: [], nics: [], disks: [], tokens: [], leases: [] }
/** One pod of the app and two of three limited pods run, each on a machine of its own. */
const REST: Inventory = {
  pods: [
    { name: 'app-1', node: 'joiner-a', isRunning: true },
    { name: 'limited-1', node: 'joiner-b', isRunning: true },
    { name: 'limited-2', node: 'joiner-c', isRunning: true },
    { name: 'limited-3', node: undefined, isRunning: false },
  ],
  claims: CLAIMS.map((name) => ({ name, isReady: true })),
  nodes: MACHINES,
  vms: MACHINES,
  nics: MACHINES,
  disks: MACHINES,
  leases: MACHINES,
  tokens: [],
}

describe('verification of a rest', () => {
  it('finds nothing wrong where nothing is', () => {
    expect(problemAtRest(REST, PLAN)).toBeUndefined()
  })

  it.each<[string, Partial<Inventory>, string]>([
    [
      'a pod that could run waits',
      { pods: REST.pods.map((pod) => ({ ...pod, isRunning: pod.name !== 'app-1' && pod.isRunning })) },
      'of app run',
    ],
    [
      'more pods run than the limit allows',
      { pods: REST.pods.map((pod) => ({ ...pod, isRunning: true })) },
      '3 of 3 pods of limited run; 2',
    ],
    ['a pod is missing', { pods: REST.pods.slice(1) }, '0 of 0 pods of app'],
    ['a claim is not ready', { claims: CLAIMS.map((name) => ({ name, isReady: name !== 'b' })) }, 'claims b are not ready'],
    ['a claim has no pod', { claims: [...REST.claims, { name: 'd', isReady: true }] }, 'used nodes are'],
    ['a machine has no claim', { vms: [...MACHINES, 'joiner-d'] }, 'machines are'],
    ['an interface has no claim', { nics: [...MACHINES, 'joiner-d'] }, 'interfaces are'],
    ['a disk is missing', { disks: MACHINES.slice(1) }, 'disks are'],
    ['a node has no claim', { nodes: [...MACHINES, 'joiner-d'] }, 'nodes are'],
    ['the lease of a node outlives it', { leases: [...MACHINES, 'joiner-d'] }, 'leases of nodes are'],
    ['a token is left', { tokens: ['bootstrap-token-abcdef'] }, 'tokens are left'],
  ])('says when %s', (_name, changed, said) => {
    expect(problemAtRest({ ...REST, ...changed }, PLAN)).toContain(said)
  })
})

describe('verification of an end', () => {
  it('finds nothing wrong where nothing is left', () => {
    expect(leftover(EMPTY)).toBeUndefined()
  })

  it.each(Object.keys(EMPTY).map((kind) => [kind as keyof Inventory]))('says when %s are left', (kind) => {
    expect(leftover({ ...EMPTY, [kind]: REST[kind].length > 0 ? REST[kind] : ['one'] })).toContain(kind)
  })
})

describe('verification of what Azure made', () => {
  const put = (name: string, status: number): LoggedRequest => ({ at: 0, method: 'PUT', path: '', type: 'virtualMachines', name, status })

  it('takes a repeated request for a machine that is there as one machine', () => {
    const requests = [put('joiner-a', 201), put('joiner-a', 200), put('joiner-b', 409), put('joiner-b', 201)]
    expect(madeTwice(requests)).toBeUndefined()
    expect([...machinesMade(requests).keys()]).toEqual(['joiner-a', 'joiner-b'])
  })

  it('says which machine was made a second time', () => {
    expect(madeTwice([put('joiner-a', 201), put('joiner-b', 201), put('joiner-a', 201)])).toContain('joiner-a 2 times')
  })
})

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const NIGHT = '.github/workflows/properties.yaml'
const seedsIn = (path: string): number => Number(/CHAOS_SEEDS(?:: |=)(\d+)/.exec(read(path))?.[1])

describe('the seeds that CI plays', () => {
  it.each(['docs/local.md', 'docs/operate.md'])('are as many as %s says', (page) => {
    const [, each = '', night = ''] = /CI runs (\w+) seeds,\s+and\s+each\s+night\s+(\w+)\./.exec(read(page)) ?? []
    const numbers = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
    expect([each, night].map((word) => numbers.indexOf(word))).toEqual([seedsIn('.ci/run'), seedsIn(NIGHT)])
  })
})

describe('a plan', () => {
  it('is the same for the same seed, and another one for another', () => {
    expect(planOf(7)).toEqual(planOf(7))
    expect(planOf(7)).not.toEqual(planOf(8))
    expect(printPlan(planOf(7))).toContain('CHAOS_SEED=7')
  })

  it('knows every fault and every step within the seeds that CI plays each night', () => {
    const plans = Array.from({ length: seedsIn(NIGHT) }, (_, index) => planOf(index + 1))
    const kinds = new Set(plans.flatMap(({ load, faults }) => [...load, ...faults].map(({ what }) => what.kind)))
    const expected =
      'breakLease cut deleteClaim deleteNode deletePod down job kill late loseAnswer loseRequest refuse restartApiServer roll scale takeLead throttle'
    expect([...kinds].sort()).toEqual(expected.split(' '))
  })
})
