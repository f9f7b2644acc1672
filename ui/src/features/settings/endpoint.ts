import type { Protocol, Provider, ProviderView } from '../../backend/bindings';
import type { BackendError } from '../../backend/errors';

/** What is written in the form of an endpoint. */
export interface EndpointWords {
  id: string;
  address: string;
  protocol: Protocol;
  key: string;
  model: string;
  context: string;
  plain: boolean;
}

/** The part of the form that a fault is about. */
export type EndpointField = 'id' | 'address' | 'key' | 'model' | 'context';

const USUAL_CONTEXT = 32_768;
const LEAST_CONTEXT = 2048;

/** The form of an endpoint that is there, or of a new one. */
export function wordsOf(view: ProviderView | null): EndpointWords {
  return {
    id: view?.provider.id ?? '',
    address: view?.provider.baseUrl ?? '',
    protocol: view?.provider.protocol ?? 'openai',
    key: '',
    model: '',
    context: String(view?.provider.contextTokens ?? USUAL_CONTEXT),
    plain: view?.provider.plain ?? false,
  };
}

/** The endpoint that was written; null where its context is no such number. */
export function providerOf(words: EndpointWords): Provider | null {
  const contextTokens = Number(words.context);
  if (!Number.isInteger(contextTokens) || contextTokens < LEAST_CONTEXT) return null;
  return {
    id: words.id.trim(),
    baseUrl: words.address.trim().replace(/\/+$/, ''),
    protocol: words.protocol,
    contextTokens,
    plain: words.plain,
  };
}

/** Whether an address leads to this machine. */
export function isLocal(address: string): boolean {
  return /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(address.trim());
}

/** Whether what is sent there could be read on the way. */
export function isOpen(address: string): boolean {
  return /^http:\/\/[^/\s]/i.test(address.trim()) && !isLocal(address);
}

/** Which part of the form an error of trying the endpoint is about. */
export function fieldOf(error: BackendError): EndpointField | null {
  switch (error.code) {
    case 'model_auth':
    case 'no_keyring':
      return 'key';
    case 'model_offline':
    case 'model_unavailable':
    case 'model_nonsense':
      return 'address';
    case 'model_missing':
    case 'model_refused':
      return 'model';
    case 'model_context_too_long':
      return 'context';
    default:
      return null;
  }
}

/** Which part of the form a refusal to keep the endpoint is about. */
export function refusedField(words: EndpointWords): EndpointField {
  return /^[\w.-]+$/.test(words.id.trim()) && words.id.trim() !== 'local' ? 'address' : 'id';
}
