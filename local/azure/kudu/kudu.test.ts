import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createArmCaller } from '../../../scripts/rehearse/armCaller.ts'
import { type LocalAzure, startAzure } from '../startAzure.ts'

const PERSON = { oid: '00000000-0000-4000-8000-00000000e001', appid: '00000000-0000-4000-8000-00000000e002' }
const SITE = 'app-one'
const HOST = `${SITE}.scm.azurewebsites.net`
let azure: LocalAzure
let siteId: string

type Reply = { readonly status: number; readonly text: string }
type Order = { readonly method?: string; readonly host?: string; readonly type?: string; readonly zip?: Buffer; readonly token?: string }

async function kudu(path: string, { method = 'POST', host = HOST, type = 'application/zip', zip, token }: Order = {}): Promise<Reply> {
  const given = token ?? (await azure.issueToken({ audience: 'https://management.azure.com', ...PERSON }))
  const headers = { host, authorization: `Bearer ${given}`, 'content-type': type }
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, azure.kuduUrl), { method, headers, ca: azure.caCertificate, servername: '' }, (incoming) => {
      buffer(incoming).then((bytes) => resolve({ status: incoming.statusCode ?? 0, text: bytes.toString() }), reject)
    })
    outgoing.on('error', reject)
    outgoing.end(zip)
  })
}

/** Returns what Kudu says of the deployment once it is at an end. */
async function endOf(reply: Reply): Promise<unknown> {
  const id: unknown = JSON.parse(reply.text)
  for (;;) {
    const found: { readonly complete: boolean } = JSON.parse((await kudu(`/api/deployments/${String(id)}`, { method: 'GET' })).text)
    if (found.complete) return found
  }
}

beforeEach(async () => {
  azure = await startAzure({ needsRoles: true })
  const scope = `/subscriptions/${azure.subscriptionId}`
  azure.access.define({ id: 'all', actions: ['*'] })
  for (const { oid } of [PERSON]) azure.access.assign('all', { principalId: oid, roleId: 'all', scope })
  const arm = createArmCaller(azure)
  azure.access.assign('azd', { principalId: '00000000-0000-4000-8000-00000000d003', roleId: 'all', scope })
  const group = `${scope}/resourceGroups/rg-one`
  siteId = `${group}/providers/Microsoft.Web/sites/${SITE}`
  expect(await arm('PUT', group, '2025-04-01', { location: 'eastus' })).toMatchObject({ status: 201 })
  const site = await arm('PUT', siteId, '2024-11-01', { location: 'eastus', properties: {} })
  expect(site.body).toMatchObject({ properties: { hostNameSslStates: [{ hostType: 'Standard' }, { name: HOST, hostType: 'Repository' }] } })
})
afterEach(() => azure.close())

describe('the Kudu of an app', () => {
  it('hands the bytes of a package on, and tells when it runs', async () => {
    const zip = Buffer.from([0x50, 0x4b, 0, 0xff, 0xfe, 0x80])
    const taken: unknown[] = []
    azure.publishTo((id, bytes) => Promise.resolve(void taken.push([id, bytes])))
    const reply = await kudu('/api/publish', { zip })
    expect(reply.status).toBe(202)
    expect(await endOf(reply)).toMatchObject({ status: 4, active: true })
    expect(taken).toEqual([[siteId, zip]])
  })

  it('says why a package does not start', async () => {
    azure.publishTo(() => Promise.reject(new Error('no host.json')))
    expect(await endOf(await kudu('/api/publish', { zip: Buffer.from('x') }))).toMatchObject({ status: 3, status_text: 'no host.json' })
  })

  it('takes one package at a time', async () => {
    azure.publishTo(() => new Promise(() => undefined))
    expect(await kudu('/api/publish', { zip: Buffer.from('x') })).toMatchObject({ status: 202 })
    expect(await kudu('/api/publish', { zip: Buffer.from('x') })).toMatchObject({ status: 409 })
  })

  it.each<[string, Order, number]>([
    ['another content type', { zip: Buffer.from('x'), type: 'application/json' }, 400],
    ['an empty package', {}, 400],
    ['a host that no app has', { host: 'other.scm.azurewebsites.net', zip: Buffer.from('x') }, 404],
    ['the name of the app itself', { host: `${SITE}.azurewebsites.net`, zip: Buffer.from('x') }, 404],
    ['a token that nobody issued', { token: 'none', zip: Buffer.from('x') }, 401],
  ])('refuses %s', async (_, order, status) => {
    azure.publishTo(() => Promise.resolve())
    expect(await kudu('/api/publish', order)).toMatchObject({ status })
  })

  it('refuses without a receiver, without the right to publish, and does not know a foreign deployment', async () => {
    expect(await kudu('/api/publish', { zip: Buffer.from('x') })).toMatchObject({ status: 501 })
    expect(await kudu('/api/deployments/none', { method: 'GET' })).toMatchObject({ status: 404 })
    azure.access.unassign('all')
    expect(await kudu('/api/publish', { zip: Buffer.from('x') })).toMatchObject({ status: 403 })
  })
})
