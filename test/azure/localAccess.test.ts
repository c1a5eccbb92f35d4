import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { assignAppRoles } from '../../local/stack/appRoles.ts'
import { APP_IDENTITY } from '../../local/stack/identities.ts'
import { type ArmReply, armCall, groupPath, nicBody, nicPath, vmBody, vmPath } from './armCall.ts'

let azure: LocalAzure

beforeAll(async () => {
  azure = await startAzure({ speed: 200, needsRoles: true })
  assignAppRoles(azure)
})
afterAll(() => azure.close())

/** Calls ARM with the identity of the app. */
async function call(method: string, path: string, body?: unknown): Promise<ArmReply> {
  const token = await azure.issueToken({
    audience: 'https://management.azure.com',
    oid: APP_IDENTITY.objectId,
    appid: APP_IDENTITY.clientId,
  })
  return armCall(azure, method, path, { token, ...(body === undefined ? {} : { body }) })
}

describe('with roles', () => {
  it('the app makes and ends a machine', async () => {
    expect((await call('PUT', nicPath(azure, 'a'), nicBody(azure))).status).toBe(201)
    expect((await call('PUT', vmPath(azure, 'a'), vmBody(azure, 'a'))).status).toBe(201)
    expect((await call('GET', `${vmPath(azure, 'a')}/instanceView`)).status).toBe(200)
    expect((await call('DELETE', vmPath(azure, 'a'))).status).toBe(202)
  })

  it('the app makes an interface that names a security group of the nodes, and no other', async () => {
    const named = (group: string) => {
      const id = `${groupPath(azure).replace('MC_local_demo_eastus', group)}/Microsoft.Network/networkSecurityGroups/nsg`
      const { properties, ...rest }: { properties?: object } = nicBody(azure)
      return { ...rest, properties: { ...properties, networkSecurityGroup: { id } } }
    }
    expect((await call('PUT', nicPath(azure, 'grouped'), named('MC_local_demo_eastus'))).status).toBe(201)
    expect((await call('PUT', nicPath(azure, 'other'), named('elsewhere'))).code).toBe('LinkedAuthorizationFailed')
  })

  it('nobody else does anything', async () => {
    expect(await armCall(azure, 'GET', vmPath(azure, 'a'))).toMatchObject({ status: 403, code: 'AuthorizationFailed' })
  })

  it('who may not is told so before what is wrong with the request, or that there is nothing', async () => {
    const refused = await call('GET', `${groupPath(azure).replace('MC_local_demo_eastus', 'other')}/Microsoft.Compute/virtualMachines/a`)
    expect(refused).toMatchObject({ status: 403, code: 'AuthorizationFailed' })
    expect(JSON.stringify(refused.body)).toContain("perform action 'Microsoft.Compute/virtualMachines/read' over scope")
    expect((await call('PUT', `${vmPath(azure, 'a')}/extensions/e`, {})).code).toBe('AuthorizationFailed')
  })

  it('an interface in a subnet that is not assigned is refused, and not made', async () => {
    const body = JSON.parse(JSON.stringify(nicBody(azure)).replaceAll('aks-subnet', 'elsewhere'))
    expect(await call('PUT', nicPath(azure, 'b'), body)).toMatchObject({ status: 403, code: 'LinkedAuthorizationFailed' })
    expect((await call('GET', nicPath(azure, 'b'))).status).toBe(404)
  })

  it('a machine does not take an interface along that its owner may not delete', async () => {
    await call('PUT', nicPath(azure, 'c'), nicBody(azure))
    await call('PUT', vmPath(azure, 'c'), vmBody(azure, 'c'))
    azure.access.define({ id: 'nodeGroup', actions: ['Microsoft.Compute/*'] })
    const refused = await call('DELETE', vmPath(azure, 'c'))
    expect(refused).toMatchObject({ status: 403, code: 'LinkedAuthorizationFailed' })
    expect(JSON.stringify(refused.body)).toContain('Microsoft.Network/networkInterfaces/delete')
    expect((await call('GET', vmPath(azure, 'c'))).status).toBe(200)
  })
})
