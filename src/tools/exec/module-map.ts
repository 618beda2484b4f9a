/** Distributions whose modules have another name; the key is the module, dotted where the first part is shared. */
const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  attr: 'attrs',
  bs4: 'beautifulsoup4',
  cairo: 'pycairo',
  Crypto: 'pycryptodome',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  fitz: 'PyMuPDF',
  git: 'GitPython',
  'google.protobuf': 'protobuf',
  jose: 'python-jose',
  jwt: 'PyJWT',
  Levenshtein: 'python-Levenshtein',
  lxml: 'lxml',
  magic: 'python-magic',
  markdown: 'Markdown',
  MySQLdb: 'mysqlclient',
  nacl: 'PyNaCl',
  OpenSSL: 'pyOpenSSL',
  PIL: 'pillow',
  pkg_resources: 'setuptools',
  pptx: 'python-pptx',
  psycopg2: 'psycopg2-binary',
  pypinyin: 'pypinyin',
  rest_framework: 'djangorestframework',
  ruamel: 'ruamel.yaml',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  slugify: 'python-slugify',
  socks: 'PySocks',
  telegram: 'python-telegram-bot',
  usb: 'pyusb',
  websocket: 'websocket-client',
  win32api: 'pywin32',
  yaml: 'PyYAML',
  zmq: 'pyzmq',
};

export interface Distribution {
  readonly name: string;
  /** False: only a guess, the name of the module. */
  readonly verified: boolean;
}

/** The distribution that brings a module, by its dotted name. */
export function distributionOf(module: string): Distribution {
  const parts = module.split('.');
  for (let length = parts.length; length > 0; length--) {
    const known = DISTRIBUTIONS[parts.slice(0, length).join('.')];
    if (known !== undefined) return { name: known, verified: true };
  }
  return { name: parts[0] ?? module, verified: false };
}
