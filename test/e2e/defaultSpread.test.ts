import { describe, expect, it } from 'vitest'
import { container, DEPLOYMENT_PATH, deployment } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { onCluster } from './onCluster.ts'

const POD_PATH = '/api/v1/namespaces/default/pods'
const SERVICE_PATH = '/api/v1/namespaces/default/services'
const PODS = 3
/** All of these pods fit on one machine. */
const SMALL = { containers: [container('200m')] }
const BY_HOST = [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' }]

onCluster('the default spread', scenarios, { appSettings: { DEFAULT_SPREAD: JSON.stringify(BY_HOST) } })

function scenarios(environment: () => Environment): void {
  /** The number of machines that were planned. The scheduler has no default spread here, so its own choices do not need as many. */
  const machines = async (): Promise<number> => {
    await environment().settle(PODS)
    return environment().machinesMade().length
  }

  describe('of pods that would fit one machine', () => {
    it('counts those of a Deployment together, by its ReplicaSet', async () => {
      await environment().make(DEPLOYMENT_PATH, deployment('web', PODS, SMALL))
      expect(await machines()).toBe(PODS)
    })

    it.each([
      ['says nothing of those that nobody owns', [], 1],
      ['counts those that a Service selects', [service('tools')], PODS],
    ])('%s', async (_name, services, wanted) => {
      for (const each of services) await environment().make(SERVICE_PATH, each)
      for (const each of Array(PODS).keys()) await environment().make(POD_PATH, pod(`tool-${each}`, 'tools'))
      expect(await machines()).toBe(wanted)
    })
  })
}

function pod(name: string, app: string): object {
  const spec = { terminationGracePeriodSeconds: 0, ...SMALL }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', labels: { app } }, spec }
}

function service(app: string): object {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: app }, spec: { selector: { app }, ports: [{ port: 80 }] } }
}
