import type { Container, PodSpec, SecurityContext } from './manifest.ts'

const ALLOWED_VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
])

/** The violations of the restricted Pod Security Standard. Joiner also forbids writes to the root file system and requires a memory limit. */
export function podTroubles(pod: PodSpec): readonly string[] {
  const { hostNetwork, hostPID, hostIPC, volumes = [], containers = [], securityContext = {} } = pod
  return [
    ...(hostNetwork || hostPID || hostIPC ? ['it shares a namespace of its host'] : []),
    ...(securityContext.sysctls ? ['it sets sysctls'] : []),
    ...volumes
      .flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'))
      .filter((kind) => !ALLOWED_VOLUMES.has(kind))
      .map((kind) => `a volume of kind ${kind}`),
    ...containers.flatMap((container) => containerTroubles(container, securityContext).map((trouble) => `${container.name}: ${trouble}`)),
  ]
}

function containerTroubles({ securityContext: own = {}, ports = [], resources }: Container, pod: SecurityContext): readonly string[] {
  const all = { ...pod, ...own }
  const rules: { readonly [trouble: string]: boolean } = {
    'is privileged': all.privileged === true,
    'may escalate its privileges': own.allowPrivilegeEscalation !== false,
    'may be root': all.runAsNonRoot !== true || all.runAsUser === 0,
    'keeps capabilities': own.capabilities?.drop?.includes('ALL') !== true || (own.capabilities.add ?? []).length > 0,
    'has no seccomp profile': all.seccompProfile?.type !== 'RuntimeDefault',
    'unmasks /proc': own.procMount !== undefined,
    'takes a port of its host': ports.some(({ hostPort }) => hostPort !== undefined),
    'writes to its root file system': own.readOnlyRootFilesystem !== true,
    'has no memory limit': resources?.limits?.['memory'] === undefined,
  }
  return Object.keys(rules).filter((trouble) => rules[trouble])
}
