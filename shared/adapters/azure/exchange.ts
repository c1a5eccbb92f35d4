/** The parts of the requests and responses of the SDK that its policies need here. Its own types would import its packages. */
export type SentRequest = { readonly method: string; readonly url: string; readonly abortSignal?: object | undefined }
export type GivenResponse = {
  readonly status: number
  readonly headers: { get(name: string): string | undefined }
  readonly bodyAsText?: string | null
}
