import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEvaluator } from '../../../infra/check/evaluate/evaluate.ts'
import { repositorySources } from '../../../infra/check/sources.ts'
import { type LocalAzure, startAzure } from '../../../local/azure/startAzure.ts'
import { preflight } from '../../../shared/engine/preflight/preflight.ts'
import { parseManagedCluster } from '../../../shared/wire/azure/managedCluster.ts'
import { repositoryRoot } from '../../floors.ts'
import { createArmCaller } from '../armCaller.ts'
import { createTemplateEngine } from '../azd/templateEngine.ts'
import { deployTemplate } from '../deployTemplate.ts'
import { awaitDemoCluster, demoPlace } from './demoCluster.ts'

let azure: LocalAzure
beforeEach(async () => {
  azure = await startAzure(await demoPlace())
})
afterEach(() => azure.close())

async function deploy(): Promise<void> {
  const { subscriptionId, tenantId, location } = azure
  const evaluator = await createEvaluator(repositorySources(repositoryRoot).readText)
  const arm = createArmCaller(azure)
  azure.deployWith(createTemplateEngine({ evaluator, arm, context: { subscriptionId, tenantId } }))
  const parameters = { environmentName: 'rehearsal', location, demoCluster: 'true' }
  const deploymentContext = { subscriptionId, tenantId, location, now: '2026-11-29T00:00:00Z' }
  await deployTemplate({ evaluator, arm, main: 'infra/demo.bicep', parameters, deploymentContext })
}

describe('the cluster for trials of a rehearsal', () => {
  it('is not there before the template makes it, and then one in which Joiner can be installed, after each deployment', async () => {
    const { clusterResourceId: id, subscriptionId } = azure
    expect(id).toContain('/resourceGroups/rg-joiner-demo-rehearsal/')
    const kubeconfig = 'that of the control plane'
    azure.putResource({ ...azure.getResource(id), id, kubeconfig })
    const complete = awaitDemoCluster(azure)
    complete()
    expect(azure.getResource(id)).toBeUndefined()
    for (const _ of ['first', 'second']) {
      await deploy()
      complete()
      const made = azure.getResource(id)
      expect(made?.['kubeconfig']).toBe(kubeconfig)
      const read = parseManagedCluster(made, id)
      if (!read.ok) throw new Error(read.error.message)
      expect(preflight(read.value, { network: 'public', subscriptionId })).toEqual([])
      expect(read.value).toMatchObject({ nodeResourceGroup: azure.resourceGroups[0], pools: [{ count: 2 }] })
      expect(read.value.sshPublicKey).toBeUndefined()
    }
  })
})
