import type { MachineNames } from '../../../model/ids.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'

export function machineNamesOf({
  machinePrefix,
  formerMachinePrefixes,
}: Pick<ClusterConfig, 'machinePrefix' | 'formerMachinePrefixes'>): MachineNames {
  return { prefix: machinePrefix, former: formerMachinePrefixes }
}
