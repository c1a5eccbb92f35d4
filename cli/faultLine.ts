import type { Fault } from '../shared/model/problem.ts'

/** `AZURE.FORBIDDEN   log in to Azure: nobody is logged in; run: azd auth login`, on one line. */
export function faultLine({ problem: { code }, message }: Fault): string {
  return `${code}   ${message.replaceAll(/\s*\n\s*/g, ' ')}`
}
