import { describe, expect, it } from 'vitest'
import type { HostTrigger } from '../app/hostFunction.ts'
import { callOf } from '../reportToParent.ts'
import { groupsOf, onlyThese } from './groups.ts'

const KINDS = { events: 'http', status: 'http', spot: 'eventGrid', reconcile: 'queue', timer: 'timer' }
const FUNCTIONS = Object.entries(KINDS).map(([name, kind]) => ({ name, trigger: { kind } })) as unknown as readonly HostTrigger[]

describe('groups of functions', () => {
  it('are those of HTTP with Event Grid, and each other function alone', () => {
    const groups = groupsOf(FUNCTIONS).map(({ name, functions }) => [name, functions.map((each) => each.name)])
    expect(groups).toEqual([
      ['http', ['events', 'status', 'spot']],
      ['reconcile', ['reconcile']],
      ['timer', ['timer']],
    ])
  })

  it('leave each function to one group', () => {
    const groups = groupsOf(FUNCTIONS)
    const left = groups.map((group) => Object.keys(onlyThese(group, FUNCTIONS)).length)
    expect(left).toEqual(groups.map(({ functions }) => FUNCTIONS.length - functions.length))
  })
})

describe('a call of the app', () => {
  it.each([
    ['PUT', '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/aks-a1?api-version=2024-07-01', 'creation'],
    ['PUT', '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/aks-a1/extensions/x?api-version=1', undefined],
    ['GET', '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/aks-a1?api-version=2024-07-01', undefined],
    ['POST', '/api/v1/namespaces/default/pods/inflate-1/eviction', 'eviction'],
    ['POST', '/api/v1/namespaces/default/pods', undefined],
    ['PUT', '/devstoreaccount1/joiner/clusters%2Flocal%2Fledger', 'ledger'],
    ['PUT', '/joiner/clusters/local/ledger?x=1', 'ledger'],
    ['PUT', '/joiner/clusters/local/log', undefined],
  ])('%s %s is %s', (method, path, what) => {
    expect(callOf(method, path)).toBe(what)
  })
})
