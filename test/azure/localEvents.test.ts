import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AzureKeyCredential, EventGridPublisherClient } from '@azure/eventgrid'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import type { Machine } from '../../local/machine.ts'
import { eventually } from '../builders/eventually.ts'
import { armCall, nicBody, nicPath, vmBody, vmPath } from './armCall.ts'

type Delivered = { readonly type: string; readonly count: string; readonly body: unknown }
type Hook = { readonly url: string; readonly delivered: Delivered[]; readonly statuses: number[]; close(): Promise<void> }

let azure: LocalAzure
let hook: Hook

beforeEach(async () => {
  azure = await startAzure({ speed: 1000 })
  hook = await startHook()
})
afterEach(async () => {
  await azure.close()
  await hook.close()
})

/** A webhook that answers the validation handshake as the Functions trigger does. It then answers with the given statuses, then with 202. */
async function startHook(): Promise<Hook> {
  const delivered: Delivered[] = []
  const statuses: number[] = []
  const server: Server = createServer((incoming, outgoing) => {
    let text = ''
    incoming.on('data', (part: Buffer) => (text += part.toString('utf8')))
    incoming.on('end', () => {
      const kind = String(incoming.headers['aeg-event-type'])
      if (incoming.method === 'OPTIONS') return void outgoing.writeHead(400).end()
      const body: unknown = JSON.parse(text)
      if (kind === 'SubscriptionValidation') {
        const event = (Array.isArray(body) ? body[0] : body) as { data: { validationCode: string } }
        return void outgoing.writeHead(200).end(JSON.stringify({ validationResponse: event.data.validationCode }))
      }
      delivered.push({ type: kind, count: String(incoming.headers['aeg-delivery-count']), body })
      outgoing.writeHead(statuses.shift() ?? 202).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/runtime/webhooks/EventGrid?functionName=interruption`,
    delivered,
    statuses,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const EVENT = { eventType: 't', subject: 's', dataVersion: '1', data: {} }
const HEALTH = { id: '1', topic: '/s', eventType: 't', subject: 's', eventTime: '2026-01-31T12:00:00Z', dataVersion: '1' }

function publisher(key = azure.topicKey) {
  return new EventGridPublisherClient(azure.topicEndpoint, 'EventGrid', new AzureKeyCredential(key), {
    tlsOptions: { ca: azure.caCertificate },
    retryOptions: { maxRetries: 0 },
  })
}

describe('the topic', () => {
  it('delivers what the real client publishes, after the handshake', async () => {
    expect(await azure.subscribe({ name: 'spot', endpoint: hook.url })).toEqual({})
    await publisher().send([{ eventType: 'joiner.ScheduledEvent', subject: 's', dataVersion: '1', data: { a: 1 } }])
    await eventually(() => expect(hook.delivered).toHaveLength(1))
    expect(hook.delivered[0]).toMatchObject({
      type: 'Notification',
      count: '0',
      body: [{ topic: azure.topicId, eventType: 'joiner.ScheduledEvent', dataVersion: '1', metadataVersion: '1', data: { a: 1 } }],
    })
  })

  it('takes a token of the tenant instead of the key', async () => {
    const getToken = async () => ({
      token: await azure.issueToken({ audience: 'https://eventgrid.azure.net', oid: 'o', appid: 'a' }),
      expiresOnTimestamp: Date.now() + 60_000,
    })
    const client = new EventGridPublisherClient(azure.topicEndpoint, 'EventGrid', { getToken }, { tlsOptions: { ca: azure.caCertificate } })
    await client.send([EVENT])
    expect(azure.eventGrid.published).toHaveLength(1)
  })

  it('refuses a wrong key', async () => {
    await expect(publisher('wrong').send([EVENT])).rejects.toMatchObject({ statusCode: 401 })
  })

  it('writes itself into what it delivers, and takes no event that names another topic', async () => {
    await azure.subscribe({ name: 'spot', endpoint: hook.url })
    const forged = { ...EVENT, topic: azure.topicId.replace('joiner-notices', 'another') }
    await expect(publisher().send([forged])).rejects.toMatchObject({ statusCode: 400 })
    await publisher().send([{ ...EVENT, topic: azure.topicId }])
    expect(azure.eventGrid.published).toMatchObject([{ topic: azure.topicId }])
  })

  it('tries again after a failure and counts the attempts', async () => {
    hook.statuses.push(500, 503)
    await azure.subscribe({ name: 'spot', endpoint: hook.url, schema: 'CloudEventSchemaV1_0' })
    azure.eventGrid.publish('custom', HEALTH)
    await eventually(() => expect(hook.delivered.map((entry) => entry.count)).toEqual(['0', '1', '2']))
    expect(hook.delivered[2]?.body).toMatchObject({ specversion: '1.0', type: 't', source: '/s' })
  })

  it('puts aside what the endpoint will never take', async () => {
    hook.statuses.push(400)
    await azure.subscribe({ name: 'spot', endpoint: hook.url })
    azure.eventGrid.publish('custom', HEALTH)
    await eventually(() =>
      expect(azure.eventGrid.deadLetters).toMatchObject([{ subscription: 'spot', attempts: 1, reason: 'the endpoint answered 400' }]),
    )
  })

  it('does not subscribe an endpoint that does not shake hands', async () => {
    expect(await azure.subscribe({ name: 'spot', endpoint: `${azure.pricesUrl}/nothing` })).toMatchObject({
      refused: expect.stringContaining('404'),
    })
  })
})

describe('an evicted spot machine', () => {
  it('hears of it first, then goes, then Event Grid says so', async () => {
    await azure.subscribe({
      name: 'spot',
      endpoint: hook.url,
      topics: ['health'],
      includedEventTypes: ['Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated'],
    })
    const seen: string[] = []
    azure.machines.listen({
      started: (machine: Machine) => seen.push(`started ${machine.priority} ${machine.cpus}`),
      stopped: (machine) => seen.push(`stopped ${machine.name}`),
    })
    await armCall(azure, 'PUT', nicPath(azure, 'joiner-a'), { body: nicBody(azure) })
    await armCall(azure, 'PUT', vmPath(azure, 'joiner-a'), {
      body: vmBody(azure, 'joiner-a', { properties: { priority: 'Spot', evictionPolicy: 'Delete' } }),
    })
    await eventually(() => expect(seen).toEqual(['started Spot 2']))
    azure.evictSpot('joiner-a', { noticeMs: 150 })
    const events = await fetch(`${azure.imdsUrl('joiner-a')}/metadata/scheduledevents?api-version=2020-07-01`, {
      headers: { Metadata: 'true' },
    })
    expect(await events.json()).toMatchObject({ Events: [{ EventType: 'Preempt', EventStatus: 'Scheduled', Resources: ['joiner-a'] }] })
    await eventually(() => expect(hook.delivered).toHaveLength(1))
    expect(hook.delivered[0]?.body).toMatchObject([
      {
        topic: `/subscriptions/${azure.subscriptionId}`,
        subject: vmPath(azure, 'joiner-a'),
        data: { resourceInfo: { properties: { annotationName: 'VirtualMachinePreempted' } } },
      },
    ])
    await eventually(async () => expect((await armCall(azure, 'GET', vmPath(azure, 'joiner-a'))).status).toBe(404))
    expect(seen).toEqual(['started Spot 2', 'stopped joiner-a'])
  })
})

describe('instance metadata', () => {
  it('asks for its header and knows no other machine', async () => {
    const url = `${azure.imdsUrl('nobody')}/metadata/scheduledevents?api-version=2020-07-01`
    expect([(await fetch(url)).status, (await fetch(url, { headers: { Metadata: 'true' } })).status]).toEqual([400, 404])
  })
})
