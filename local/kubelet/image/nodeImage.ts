import { type BootFailure, bootFailure } from '../bootFailure.ts'
import type { ShellScript } from '../shellScript.ts'

/** The parts of a node image that a boot script depends on. */
export type NodeImage = {
  readonly name: string
  /** Text of `/opt/azure/containers/provision.sh`, reduced to the parts that a boot script waits for. */
  readonly provisionScript: string
  /** Longer label keys, domain included, are cut to this number of characters. */
  readonly longestLabelKey: number
}

const HERE_DOCUMENT = 'tee /etc/systemd/system/kubelet.service.d/10-cgroupv2.conf <<EOF\n[Service]\nEOF\n'
const UNCUT = Number.POSITIVE_INFINITY

export const NEWEST_IMAGE: NodeImage = { name: 'since 2026-05-26', provisionScript: HERE_DOCUMENT, longestLabelKey: 63 }

/**
 * Images by age, newest last. Source: Azure/AgentBaker, parts/linux/cloud-init/artifacts, read at 06836ee230 of 2026-08-21.
 *
 * - Images carry `cse_main.sh` as provision.sh. The script ended in `#EOF` until commit 63b9d9b970 of 2025-07-23. Since then the word EOF
 *   appears in its here documents only.
 * - Since commit ff2c2c0857 of 2026-05-26, `cse_config.sh` has a function that cuts label keys. Nothing in the published sources calls this
 *   function. The emulator assumes the worse case, that it is called.
 */
export const NODE_IMAGES: readonly NodeImage[] = [
  { name: 'before 2025-07-23', provisionScript: `${HERE_DOCUMENT}#EOF\n`, longestLabelKey: UNCUT },
  { name: 'since 2025-07-23', provisionScript: HERE_DOCUMENT, longestLabelKey: UNCUT },
  NEWEST_IMAGE,
]

const PROVISION = '/opt/azure/containers/provision.sh'

/** Returns a failure if the boot script waits for a text that provision.sh of the image does not hold. */
export function waitFailure(script: ShellScript, image: NodeImage): BootFailure | undefined {
  const missing = script.commands.flatMap((words) => soughtIn(words)).find((sought) => !image.provisionScript.includes(sought))
  if (missing === undefined) return undefined
  return bootFailure('provision', `waits for ${JSON.stringify(missing)} in ${PROVISION}; images ${image.name} have no such text`)
}

/** Returns the texts that a `grep` on provision.sh looks for. Boot scripts look for fixed strings only, and an option is not one of them. */
function soughtIn(words: readonly string[]): readonly string[] {
  const at = words.indexOf('grep')
  if (at < 0 || !words.includes(PROVISION)) return []
  return words.slice(at + 1).filter((word) => !word.startsWith('-') && word !== PROVISION)
}

export function cutLabels(labels: readonly (readonly [string, string])[], image: NodeImage): readonly (readonly [string, string])[] {
  return labels.map(([key, value]) => [key.slice(0, image.longestLabelKey), value] as const)
}

/** The kubelet flags from the image's own unit file, added to those of the boot script. Source: kubelet.service and cse_main.sh, as above. */
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
