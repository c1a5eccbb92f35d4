import { randomBytes } from 'node:crypto'
import type { CredentialIssuer } from './obtainCredential.ts'

/** The part of the embedded API server that accepts new tokens. */
export type TokenRegister = {
  addToken(user: { readonly token: string; readonly user: string; readonly groups: readonly string[] }): void
}

/** Gives each kubelet a token as `system:node:<name>`. A real control plane would sign a certificate for the kubelet instead. */
export function tokenIssuer(register: TokenRegister): CredentialIssuer {
  return {
    issue: async (nodeName) => {
      const token = randomBytes(24).toString('hex')
      register.addToken({ token, user: `system:node:${nodeName}`, groups: ['system:nodes'] })
      return { kind: 'token', token }
    },
  }
}
