import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEvaluator } from '../../infra/check/evaluate/evaluate.ts'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { createArmCaller } from './armCaller.ts'
import { type Deployment, deployTemplate } from './deployTemplate.ts'

const IDENTITY = 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30'
const SITE = 'Microsoft.Web/sites@2024-11-01'
let azure: LocalAzure

beforeAll(async () => {
  azure = await startAzure()
  await createArmCaller(azure)('PUT', `/subscriptions/${azure.subscriptionId}/resourceGroups/rg-main`, '2025-04-01', { location: 'eastus' })
})
afterAll(() => azure.close())

async function deploy(text: string): Promise<Deployment> {
  const evaluator = await createEvaluator((path) => (path === 'main.bicep' ? text : undefined))
  const { subscriptionId, tenantId } = azure
  return deployTemplate({
    evaluator,
    arm: createArmCaller(azure),
    main: 'main.bicep',
    parameters: {},
    deploymentContext: { subscriptionId, tenantId, location: 'eastus' },
  })
}

describe('a deployment', () => {
  it('gives outputs that only Azure knows, and makes nothing twice', async () => {
    const text = `
resource one '${IDENTITY}' = {
  name: 'one'
  location: 'eastus'
}
output client string = 'client \${one.properties.clientId}'
`
    const [first, second] = [await deploy(text), await deploy(text)]
    expect(first.made.map((id) => id.split('/').at(-1))).toEqual(['one'])
    expect([second.made, second.changed]).toEqual([[], first.made])
    expect(first.outputs['client']).toMatch(/^client [0-9a-f-]{36}$/)
    expect(second.outputs).toEqual(first.outputs)
  })

  it.each([
    [
      'that names what is not made yet',
      `
resource site '${SITE}' = {
  name: 'site'
  location: 'eastus'
  properties: { serverFarmId: '\${resourceGroup().id}/providers/Microsoft.Web/serverfarms/none' }
}
`,
      'InvalidResourceReference',
    ],
    [
      'that reads what Azure does not tell',
      `
resource one '${IDENTITY}' = {
  name: 'one'
  location: 'eastus'
}
output wrong string = one.properties.nothing
`,
      'has no properties.nothing',
    ],
    [
      'that expects what is not there',
      `
resource other '${IDENTITY}' existing = {
  name: 'other'
}
`,
      'which the template expects',
    ],
    ['with a mistake', 'param name string\n', 'cannot be deployed'],
  ])('fails %s', async (_sentence, text, message) => {
    await expect(deploy(text)).rejects.toThrow(message)
  })
})
