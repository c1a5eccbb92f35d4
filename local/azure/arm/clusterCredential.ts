import { Buffer } from 'node:buffer'
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError, notFound } from './armAnswer.ts'

/**
 * Answers with the kubeconfig of a cluster for users, if the emulator was given one. The answer has the form of AKS (REST reference of Managed
 * Clusters - List Cluster User Credentials, 2026-05-01): a list of named files in base64.
 */
export function clusterUserCredential(arm: Arm, { path, name, group }: ArmRequest): ArmAnswer {
  const cluster = arm.state.documents.get(path.replace(/\/listClusterUserCredential$/i, '').toLowerCase())
  if (cluster === undefined) return notFound('Microsoft.ContainerService/managedClusters', name, group)
  if (cluster.kubeconfig === undefined)
    return armError(501, 'NotImplemented', `nobody told this emulator the kubeconfig of cluster ${name}: hold the cluster with one`)
  return { status: 200, body: { kubeconfigs: [{ name: 'clusterUser', value: Buffer.from(cluster.kubeconfig).toString('base64') }] } }
}
