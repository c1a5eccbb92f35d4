import { ownValue } from '../../../shared/base/values.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'

const COMPUTE = ['2024-03-01', '2024-07-01', '2024-11-01', '2025-04-01', '2026-04-01']
const NETWORK = ['2024-05-01', '2024-07-01', '2025-01-01', '2025-05-01', '2026-01-01']

/** The api-versions in which each resource type is served. The last of each list is the version that the Azure SDKs of this repository send. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  virtualMachines: COMPUTE,
  extensions: COMPUTE,
  galleries: ['2024-03-03', '2025-12-03'],
  communityGalleries: ['2024-03-03', '2025-12-03'],
  usages: COMPUTE,
  skus: ['2019-04-01', '2021-07-01'],
  disks: ['2024-03-02', '2025-01-02', '2026-03-02'],
  diskEncryptionSets: ['2024-03-02', '2025-01-02'],
  networkInterfaces: NETWORK,
  subnets: NETWORK,
  virtualNetworks: NETWORK,
  loadBalancers: NETWORK,
  networkSecurityGroups: NETWORK,
  managedClusters: ['2025-10-01', '2026-02-01', '2026-05-01'],
  operations: [...COMPUTE, ...NETWORK],
  deployments: ['2021-04-01', '2025-04-01'],
  locations: ['2022-12-01'],
  resources: ['2021-04-01'],
  subscriptions: ['2020-01-01', '2022-12-01'],
  tenants: ['2022-12-01'],
  providers: ['2021-04-01'],
  geoRegions: ['2024-11-01'],
  permissions: ['2022-04-01'],
  // 2025-03-01 is that in which azd 1.31 looks whether a group is there.
  resourceGroups: ['2021-04-01', '2025-03-01', '2025-04-01'],
}

export function versionProblem(type: string, version: string | null, location: string): ArmAnswer | undefined {
  if (version === null)
    return armError(400, 'MissingApiVersionParameter', 'The api-version query parameter (?api-version=) is required for all requests.')
  const known = ownValue(VERSIONS, type) ?? []
  if (known.includes(version)) return undefined
  return armError(
    400,
    'NoRegisteredProviderFound',
    `No registered resource provider found for location '${location}' and API version '${version}' for type '${type}'. The supported api-versions are '${known.join(', ')}'.`,
  )
}
