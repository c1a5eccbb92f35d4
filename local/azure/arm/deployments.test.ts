import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createArmCaller } from '../../../scripts/rehearse/armCaller.ts'
import { type LocalAzure, startAzure } from '../startAzure.ts'

const VERSION = '2021-04-01'
const TEMPLATE = { outputs: { NAME: { type: 'string' }, LIST: { type: 'array' } }, resources: [] }
let azure: LocalAzure
/** Ends the deployment that runs. */
let end: (how?: Error) => void = () => undefined

beforeAll(async () => {
  azure = await startAzure()
})
afterAll(() => azure.close())

const id = (name: string): string => `/subscriptions/${azure.subscriptionId}/providers/Microsoft.Resources/deployments/${name}`
const arm: ReturnType<typeof createArmCaller> = (...given) => createArmCaller(azure)(...given)
const body = { location: 'eastus', tags: { 'azd-env-name': 'dev' }, properties: { template: TEMPLATE, parameters: { one: { value: 1 } } } }
const stateOf = async (name: string): Promise<unknown> => (await arm('GET', id(name), VERSION)).body

describe('deployments at a subscription', () => {
  it('are refused without an engine, without a template and without a location', async () => {
    expect(await arm('PUT', id('none'), VERSION, body)).toMatchObject({ status: 501 })
    for (const wrong of [{ properties: body.properties }, { location: 'eastus', properties: {} }])
      expect(await arm('PUT', id('none'), VERSION, wrong)).toMatchObject({ status: 400 })
    expect(await arm('GET', id('none'), VERSION)).toMatchObject({ status: 404, body: { error: { code: 'DeploymentNotFound' } } })
  })

  it('run until the engine ends, keep tags and typed outputs, and cannot be replaced meanwhile', async () => {
    azure.deployWith({
      validate: ({ parameters }) => Promise.resolve(parameters['one'] === 1 ? undefined : 'one must be 1'),
      deploy: () =>
        new Promise((resolve, reject) => {
          end = (how) =>
            how === undefined
              ? resolve({ outputs: { NAME: 'a', LIST: [] }, resourceIds: ['/subscriptions/s/resourceGroups/g'] })
              : reject(how)
        }),
    })
    expect(await arm('PUT', id('one'), VERSION, body)).toMatchObject({ status: 201 })
    expect(await arm('PUT', id('one'), VERSION, body)).toMatchObject({ status: 409, body: { error: { code: 'DeploymentActive' } } })
    expect(await stateOf('one')).toMatchObject({ tags: body.tags, properties: { provisioningState: 'Running' } })
    end()
    await expect
      .poll(() => stateOf('one'))
      .toMatchObject({
        properties: {
          provisioningState: 'Succeeded',
          outputs: { NAME: { type: 'String', value: 'a' }, LIST: { type: 'Array', value: [] } },
          outputResources: [{ id: '/subscriptions/s/resourceGroups/g' }],
        },
      })
    expect(await arm('GET', `${id('one')}/operations`, VERSION)).toMatchObject({
      body: { value: [{ properties: { duration: expect.stringMatching(/^PT/), targetResource: { resourceName: 'g' } } }] },
    })
  })

  it('fail with the reason, and stay in the list', async () => {
    await arm('PUT', id('two'), VERSION, body)
    end(new Error('no room'))
    await expect.poll(() => stateOf('two')).toMatchObject({ properties: { provisioningState: 'Failed', error: { message: 'no room' } } })
    expect(await arm('GET', id('').replace(/\/$/, ''), VERSION)).toMatchObject({ body: { value: [{ name: 'one' }, { name: 'two' }] } })
  })

  it('are validated without an effect', async () => {
    expect(await arm('POST', `${id('three')}/validate`, VERSION, body)).toMatchObject({ status: 200 })
    const wrong = { ...body, properties: { ...body.properties, parameters: {} } }
    expect(await arm('POST', `${id('three')}/validate`, VERSION, wrong)).toMatchObject({
      status: 400,
      body: { error: { code: 'InvalidTemplate' } },
    })
    expect(await arm('GET', id('three'), VERSION)).toMatchObject({ status: 404 })
  })
})

describe('what azd reads of a subscription', () => {
  it.each(['/tenants', '/subscriptions', 'locations'])('%s has one', async (path) => {
    const where = path.startsWith('/') ? path : `/subscriptions/${azure.subscriptionId}/${path}`
    expect(await arm('GET', where, '2022-12-01')).toMatchObject({ status: 200, body: { value: [expect.anything()] } })
  })

  it('lists the resources of a group without their parts', async () => {
    const group = `/subscriptions/${azure.subscriptionId}/resourceGroups/rg-list`
    await arm('PUT', group, '2025-04-01', { location: 'eastus' })
    const account = `${group}/providers/Microsoft.Storage/storageAccounts/listed`
    await arm('PUT', account, '2025-06-01', { location: 'eastus' })
    await arm('PUT', `${account}/blobServices/default`, '2025-06-01', {})
    expect(await arm('GET', `${group}/resources`, VERSION)).toMatchObject({
      body: { value: [{ id: account, name: 'listed', location: 'eastus' }] },
    })
  })
})
