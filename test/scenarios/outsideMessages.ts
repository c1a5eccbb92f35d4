/** Messages about answers of Azure and of the API server, and about objects that cannot be read, as the adapters make them. */
import { launchRefusal } from '../../shared/adapters/azure/errors/launchRefusal.ts'
import { problemOf, problemOfCreation } from '../../shared/adapters/kube/kubeStatus.ts'
import { faultOf } from '../../shared/kubeclient/status.ts'
import { vmSizeName, zoneName } from '../../shared/model/ids.ts'
import type { Problem } from '../../shared/model/problem.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import { NOW } from '../builders/clock.ts'

const CLAIM = 'nodeclaim/default-aaaaa'

/** Codes of Azure's answers, with a text as Azure writes it. One answer for each code of ours at least. */
const AZURE: readonly (readonly [code: string, message: string, status?: number])[] = [
  ['OperationNotAllowed', 'results in exceeding approved LowPriorityCores quota. Current Limit: 10, Current Usage: 8'],
  ['OperationNotAllowed', 'results in exceeding approved standardDSv5Family Cores quota. Current Limit: 10, Current Usage: 8'],
  ['OperationNotAllowed', 'results in exceeding approved Total Regional Cores quota. Current Limit: 10, Current Usage: 8'],
  ['SkuNotAvailable', 'The requested size is currently not available in location eastus'],
  ['ZonalAllocationFailed', 'Allocation failed. We do not have sufficient capacity in this zone'],
  ['AllocationFailed', 'Allocation failed. We do not have sufficient capacity in this region'],
  ['OverconstrainedZonalAllocationRequest', 'Allocation failed. VM(s) with these constraints cannot be allocated'],
  ['OverconstrainedAllocationRequest', 'Allocation failed. VM(s) with these constraints cannot be allocated'],
  ['TooManyRequests', 'The request was throttled', 429],
  ['SubnetIsFull', 'Subnet aks with address prefix 10.0.0.0/24 does not have enough capacity'],
  ['NicReservedForAnotherVm', 'The interface is reserved for another virtual machine'],
  ['PropertyChangeNotAllowed', "Changing property 'osProfile.customData' is not allowed", 409],
  ['ImageNotFound', 'The platform image is not available', 404],
  ['RequestDisallowedByPolicy', "Resource was disallowed by policy 'tags'", 403],
  ['AuthorizationFailed', 'The client does not have authorization to perform action Microsoft.Compute/virtualMachines/write', 403],
  ['InvalidParameter', "The value of parameter 'zones' is invalid", 400],
]

function ofAzure(): readonly Problem[] {
  const size = { size: vmSizeName('Standard_D4s_v5'), family: 'dsv5', cpus: 4, capacityType: 'on-demand' } as const
  const place = { zone: zoneName('eastus-1'), zones: ['eastus-1', 'eastus-2'].map(zoneName) }
  return AZURE.flatMap(([code, message, status]) => {
    const failure = { code, message, isOutage: false, ...(status === undefined ? {} : { status }) }
    return launchRefusal(failure, { ...size, ...place }, NOW, CLAIM)?.problem ?? []
  })
}

const said = (status: number, message: string) => ({ status, json: { message, details: { name: 'default-aaaaa' } } })

function ofApiServer(): readonly Problem[] {
  const cannot = 'nodeclaims.karpenter.sh is forbidden: User "app" cannot create resource "nodeclaims" at the cluster scope'
  return [
    problemOf(said(404, 'nodeclaims.karpenter.sh "default-aaaaa" not found'), 'patch', CLAIM),
    problemOf(said(409, 'the object has been modified; please apply your changes to the latest version'), 'patch', CLAIM),
    problemOfCreation(said(422, 'NodeClaim.karpenter.sh "default-aaaaa" is invalid: spec.taints: too many'), 'create', CLAIM),
    problemOfCreation(said(403, 'admission webhook "policy" denied the request: no cost centre'), 'create', CLAIM),
    problemOfCreation(said(403, cannot), 'create', CLAIM),
    faultOf(said(500, 'etcdserver: request timed out'), 'patch', CLAIM).problem,
  ]
}

function ofUnreadable(): readonly Problem[] {
  const metadata = { name: 'one', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' }
  const overhead = { cpu: '1e1.5' }
  return [
    objectFromKube('pod', { metadata, spec: { containers: [], overhead } }),
    objectFromKube('nodePool', { metadata, spec: { template: { spec: { requirements: [] } } } }),
    objectFromKube('nodeClass', { metadata, spec: { osDiskSizeGB: 'large' } }),
    objectFromKube('nodeOverlay', { metadata, spec: { requirements: [], capacity: overhead } }),
  ].flatMap((read) => (read.ok ? [] : [read.error]))
}

export function outsideMessages(): readonly Problem[] {
  return [...ofAzure(), ...ofApiServer(), ...ofUnreadable()]
}
