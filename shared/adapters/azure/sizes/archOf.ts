import type { InstanceType } from '../../../model/instanceType.ts'

export function archOf(instanceType: InstanceType): 'amd64' | 'arm64' {
  const arch = instanceType.requirements.find((requirement) => requirement.key === 'kubernetes.io/arch')
  return arch?.values.includes('arm64') === true ? 'arm64' : 'amd64'
}
