import { type BootFailure, bootFailure } from '../bootFailure.ts'
import type { ShellScript } from '../shellScript.ts'

/** What of a node image a boot script can meet. */
export type NodeImage = {
  readonly name: string
  /** Text of `/opt/azure/containers/provision.sh`, as far as anybody waits for it. */
  readonly provisionScript: string
  /** Longer label keys are cut to this, domain included. */
  readonly longestLabelKey: number
}

const HERE_DOCUMENT = 'tee /etc/systemd/system/kubelet.service.d/10-cgroupv2.conf <<EOF\n[Service]\nEOF\n'
const UNCUT = Number.POSITIVE_INFINITY

export const NEWEST_IMAGE: NodeImage = { name: 'since 2026-05-26', provisionScript: HERE_DOCUMENT, longestLabelKey: 63 }

/**
 * Images by age, newest last. Source: Azure/AgentBaker, parts/linux/cloud-init/artifacts, read at 06836ee230 of 2026-08-21.
 *
 * - `cse_main.sh`, which images carry as provision.sh, ended in `#EOF` until commit 63b9d9b970 of 2025-07-23. Since then the word stands in
 *   its here documents only.
 * - `cse_config.sh` has a function that cuts label keys since commit ff2c2c0857 of 2026-05-26. Nothing in the published sources calls it; that
 *   it is called is the worse answer.
 */
export const NODE_IMAGES: readonly NodeImage[] = [
  { name: 'before 2025-07-23', provisionScript: `${HERE_DOCUMENT}#EOF\n`, longestLabelKey: UNCUT },
  { name: 'since 2025-07-23', provisionScript: HERE_DOCUMENT, longestLabelKey: UNCUT },
  NEWEST_IMAGE,
]

const PROVISION = '/opt/azure/containers/provision.sh'

/** Words that the boot script looks for in the image's own script before it goes on, and that are not there. */
export function waitFailure(script: ShellScript, image: NodeImage): BootFailure | undefined {
  const missing = script.commands.flatMap((words) => soughtIn(words)).find((sought) => !image.provisionScript.includes(sought))
  if (missing === undefined) return undefined
  return bootFailure('provision', `waits for ${JSON.stringify(missing)} in ${PROVISION}; images ${image.name} have no such text`)
}

/** Fixed strings are all that boot scripts look for; an option is no pattern. */
function soughtIn(words: readonly string[]): readonly string[] {
  const at = words.indexOf('grep')
  if (at < 0 || !words.includes(PROVISION)) return []
  return words.slice(at + 1).filter((word) => !word.startsWith('-') && word !== PROVISION)
}

export function cutLabels(labels: readonly (readonly [string, string])[], image: NodeImage): readonly (readonly [string, string])[] {
  return labels.map(([key, value]) => [key.slice(0, image.longestLabelKey), value] as const)
}

/** What the image's own unit file gives the kubelet beside what the boot script says. (kubelet.service and cse_main.sh, same source.) */
export const IMAGE_FLAGS = [
  '--enable-server',
  '--v=2',
  '--volume-plugin-dir=/etc/kubernetes/volumeplugins',
  '--kubeconfig=/var/lib/kubelet/kubeconfig',
  '--bootstrap-kubeconfig=/var/lib/kubelet/bootstrap-kubeconfig',
  '--runtime-request-timeout=15m',
  '--container-runtime-endpoint=unix:///run/containerd/containerd.sock',
  '--runtime-cgroups=/system.slice/containerd.service',
  '--cgroup-driver=systemd',
].join(' ')
