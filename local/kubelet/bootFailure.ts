/** Why a machine does not become a node, and at which stage of its boot it failed. */
export type BootFailure = { readonly stage: BootStage; readonly message: string }

export type BootStage = 'customData' | 'provision' | 'kubelet' | 'connect' | 'credential' | 'register'

export function bootFailure(stage: BootStage, message: string): BootFailure {
  return { stage, message }
}
