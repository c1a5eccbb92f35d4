/** The app, host.json or a setting asks for something that is wrong or not emulated. */
export class HostError extends Error {
  override readonly name = 'HostError'
}
