import type { HttpAnswer } from '../httpServer.ts'

/** An answer that is not a cut connection. */
export type ArmAnswer = Exclude<HttpAnswer, 'drop'>

/** An error in the shape every ARM service uses. */
export function armError(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}): ArmAnswer {
  return { status, headers, body: { error: { code, message, details: [] } } }
}

export function notFound(type: string, name: string, group: string): ArmAnswer {
  return armError(404, 'ResourceNotFound', `The Resource '${type}/${name}' under resource group '${group}' was not found.`)
}
