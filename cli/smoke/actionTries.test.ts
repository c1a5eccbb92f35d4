import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { actionsOf } from '../../local/azure/arm/authorization/actionsOf.ts'
import { ACTION_TRIES, tryOf } from './actionTries.ts'

const { custom } = JSON.parse(readFileSync(join(import.meta.dirname, '../../infra/roles.json'), 'utf8')) as {
  readonly custom: { readonly [role: string]: readonly string[] }
}
const GROUP = '/subscriptions/s/resourceGroups/g'
const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/n`
const SCOPES: { readonly [role: string]: string } = {
  nodeGroup: GROUP,
  subnet: `${NETWORK}/subnets/one`,
  network: NETWORK,
  cluster: `${GROUP}/providers/Microsoft.ContainerService/managedClusters/c`,
  subscription: '/subscriptions/s',
}
const EVICTION = 'Microsoft.Compute/virtualMachines/simulateEviction/action'
const rows = Object.entries(custom).flatMap(([role, actions]) => actions.map((action) => ({ role, action })))
const tries = [...rows, { role: 'nodeGroup', action: EVICTION }].flatMap(({ role, action }) => {
  const call = tryOf(action, { scope: SCOPES[role] ?? '', location: 'eastus', subnetId: `${NETWORK}/subnets/one` })
  return call === undefined ? [] : [{ action, role, call }]
})

describe('the tries of the actions', () => {
  it('are for the actions of the roles and the eviction, each once', () => {
    expect(new Set(Object.keys(ACTION_TRIES))).toEqual(new Set([...rows.map(({ action }) => action), EVICTION]))
  })

  it('are left out only for actions on what a write names', () => {
    const left = Object.keys(ACTION_TRIES).filter((action) => typeof ACTION_TRIES[action] !== 'function')
    expect(left.every((action) => /\/(?:join|assign)\/action$/.test(action))).toBe(true)
    expect(
      Object.keys(ACTION_TRIES)
        .filter((action) => /\/(?:join|assign)\/action$/.test(action))
        .sort(),
    ).toEqual(left.sort())
  })

  it.each(tries)('$action at $role: the request needs this action, and has no effect', ({ action, call }) => {
    const { own } = actionsOf(call.method, call.path, call.body)
    if (!action.endsWith('/write')) {
      expect(own.action.toLowerCase()).toBe(action.toLowerCase())
      expect(call.method === 'GET' || call.path.includes('joinersmokenothing')).toBe(true)
      return
    }
    expect(own.action).toBe('Microsoft.Resources/deployments/validate/action')
    expect(call.body).toMatchObject({
      properties: { mode: 'Incremental', validationLevel: 'Provider', template: { resources: [{ type: action.replace(/\/write$/, '') }] } },
    })
  })
})
