import { describe, expect, it } from 'vitest'
import { armInMemory } from '../../testing/armInMemory.ts'
import type { Document } from '../armState.ts'
import { federatedClients, madeIdentities } from './identities.ts'
import { missingReference, resourceExists } from './references.ts'

const IDENTITY = 'Microsoft.ManagedIdentity/userAssignedIdentities'

function cloudOf(...documents: readonly Document[]) {
  const cloud = armInMemory({ resourceGroups: ['MC_one'] })
  for (const document of documents) cloud.arm.state.documents.set(document.id.toLowerCase(), document)
  return cloud
}

describe('whether a resource is there', () => {
  it.each([
    ['the subscription', (own: string) => own, true],
    ['the subscription, in other letters', (own: string) => own.toUpperCase(), true],
    ['another subscription', () => '/subscriptions/other', false],
    ['its group', (own: string) => `${own}/resourceGroups/mc_ONE`, true],
    ['another group', (own: string) => `${own}/resourceGroups/MC_two`, false],
    ['a group that something is in', (own: string) => `${own}/resourceGroups/made`, true],
    ['what was made', (own: string) => `${own}/resourceGroups/MADE/providers/Microsoft.Network/virtualNetworks/net`, true],
    ['what was not made', (own: string) => `${own}/resourceGroups/made/providers/Microsoft.Network/virtualNetworks/none`, false],
    [
      'a subnet of a network',
      (own: string) => `${own}/resourceGroups/made/providers/Microsoft.Network/virtualNetworks/net/subnets/A`,
      true,
    ],
    [
      'no subnet of a network',
      (own: string) => `${own}/resourceGroups/made/providers/Microsoft.Network/virtualNetworks/net/subnets/b`,
      false,
    ],
    [
      'a subnet of no network',
      (own: string) => `${own}/resourceGroups/made/providers/Microsoft.Network/virtualNetworks/none/subnets/a`,
      false,
    ],
    ['nonsense', () => 'nonsense', false],
  ])('%s', (_what, id, want) => {
    const { arm } = cloudOf()
    const own = `/subscriptions/${arm.settings.subscriptionId}`
    const network = `${own}/resourceGroups/made/providers/Microsoft.Network/virtualNetworks/net`
    arm.state.documents.set(network.toLowerCase(), { id: network, properties: { subnets: [{ name: 'a' }, {}, 'x'] } })
    expect(resourceExists(arm, id(own))).toBe(want)
  })

  it('of machines, interfaces and the subnet of the nodes too', async () => {
    const cloud = cloudOf()
    await cloud.putVm('web')
    const exist = (resource: string) => resourceExists(cloud.arm, cloud.path(resource))
    expect(
      ['Microsoft.Compute/virtualMachines/WEB', 'Microsoft.Network/networkInterfaces/web', 'Microsoft.Compute/disks/web_osdisk_1'].map(
        exist,
      ),
    ).toEqual([true, true, true])
    expect(resourceExists(cloud.arm, cloud.arm.settings.subnetId.toUpperCase())).toBe(true)
    expect(exist('Microsoft.Compute/virtualMachines/none')).toBe(false)
    cloud.arm.timeline.close()
  })
})

describe('the first id of a body that names nothing', () => {
  it('is found in values, lists and keys, and not where it is its own, foreign or no id', () => {
    const cloud = cloudOf()
    const { arm } = cloud
    const id = (name: string) => cloud.path(`Microsoft.Storage/storageAccounts/${name}`)
    arm.state.documents.set(id('there').toLowerCase(), { id: id('there') })
    const missing = (body: unknown) => missingReference(arm, body, id('self'))
    expect(missing({ a: [{ b: id('none') }] })).toBe(id('none'))
    expect(missing({ [id('none')]: {} })).toBe(id('none'))
    expect(missing({ a: id('there'), [id('there').toUpperCase()]: {} })).toBeUndefined()
    expect(missing({ a: `${id('self')}/blobServices/default`, b: id('self') })).toBeUndefined()
    expect(missing({ a: id('none').replace(arm.settings.subscriptionId, 'other') })).toBeUndefined()
    expect(missing({ a: `see ${id('none')}`, b: `${id('none')}/`, c: 7, d: null })).toBeUndefined()
    expect(missing({ a: id('first'), b: id('second') })).toBe(id('first'))
  })
})

describe('identities that were made', () => {
  it('take the tokens that their own credentials name, and no others', () => {
    const cloud = cloudOf()
    const { arm } = cloud
    const hold = (resource: string, properties: object) =>
      arm.state.documents.set(cloud.path(resource).toLowerCase(), { id: cloud.path(resource), properties })
    arm.state.documents.clear()
    hold(`${IDENTITY}/App`, { clientId: 'c1', principalId: 'p1' })
    hold(`${IDENTITY}/App-shim`, { clientId: 'c2', principalId: 'p2' })
    // The parent has another case than its identity, which ARM allows.
    hold(`${IDENTITY}/app-SHIM/federatedIdentityCredentials/one`, {
      issuer: 'https://oidc',
      subject: 'system:shim',
      audiences: ['api://x', 7],
    })
    hold(`${IDENTITY}/App-shim/federatedIdentityCredentials/two`, {})
    expect(madeIdentities(arm)).toEqual([
      { clientId: 'c1', objectId: 'p1' },
      { clientId: 'c2', objectId: 'p2' },
    ])
    expect(federatedClients(arm)).toEqual([
      { clientId: 'c1', objectId: 'p1', federated: [] },
      {
        clientId: 'c2',
        objectId: 'p2',
        federated: [
          { issuer: 'https://oidc', subject: 'system:shim', audiences: ['api://x'] },
          { issuer: '', subject: '', audiences: [] },
        ],
      },
    ])
  })
})
