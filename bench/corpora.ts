// Texts to count, by kind. Made of what every installation has (READMEs and sources of dependencies, seeded
// generators), so that a figure can be repeated; transcripts come from ../shared where that exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const modules = join(root, 'node_modules');

/** Files below `dir` by extension, sorted; not below nested node_modules. */
function filesOf(dir: string, extension: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith(extension) && !f.includes('node_modules'))
    .sort()
    .map((f) => join(dir, f));
}

function gather(dirs: readonly string[], extension: string, chars: number): string {
  let out = '';
  for (const dir of dirs) {
    for (const f of filesOf(join(modules, dir), extension)) {
      if (out.length >= chars) return out.slice(0, chars);
      out += `${readFileSync(f, 'utf8')}\n`;
    }
  }
  return out.slice(0, chars);
}

/** English: the READMEs' and licences' text without code blocks, tables and links' targets. */
export function prose(): string {
  const docs = gather(
    ['undici/docs', 'ws', 'commander', 'pino', 'fast-check', 'piscina', 'prom-client'],
    '.md',
    900_000,
  );
  const plain = docs
    .replace(/```[\s\S]*?```/g, '')
    .split('\n')
    .filter((l) => !/^\s*(\||#|<|- `|\[)/.test(l) && /[a-z]{3} [a-z]/.test(l))
    .map((l) => l.replace(/\]\([^)]*\)/g, ']').replace(/[*_`[\]]/g, ''))
    .join('\n');
  return plain.slice(0, 200_000);
}

export function code(): string {
  return (
    gather(['undici/lib', 'zod/src', 'commander/lib'], '', 0) +
    gather(['undici/lib', 'commander/lib'], '.js', 300_000)
  );
}

function seeded(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 0x1_0000_0000;
  };
}

/** Tool results as agents see them: listings, search hits, issue lists, half of them indented. */
export function json(): string {
  const random = seeded(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const words = prose().slice(0, 20_000).split(/\s+/);
  const some = (n: number) => Array.from({ length: n }, () => pick(words)).join(' ');
  const results: string[] = [];
  for (let i = 0; i < 150; i++) {
    const value = {
      status: pick(['ok', 'partial', 'error']),
      took_ms: Math.floor(random() * 900),
      items: Array.from({ length: 6 }, () => ({
        id: Math.floor(random() * 1e9),
        path: `src/${pick(words)}/${pick(words)}.ts`,
        sha: Math.floor(random() * 2 ** 48).toString(16),
        updated_at: new Date(1.7e12 + random() * 5e10).toISOString(),
        title: some(6),
        snippet: `${some(12)}\n\t"${some(3)}"`,
        score: Number(random().toFixed(4)),
        labels: [pick(words), pick(words)],
        open: random() < 0.5,
        assignee: null,
      })),
    };
    results.push(i % 2 === 0 ? JSON.stringify(value) : JSON.stringify(value, null, 2));
  }
  return results.join('\n');
}

const ZH = {
  who: '我们 用户 系统 这个模块 开发人员 服务器 客户端 数据库 研究团队 管理员 编译器 模型 该公司 学生们 市场 新的算法 测试工程师 政府部门 医生 许多读者'.split(
    ' ',
  ),
  how: '已经 通常 逐渐 不能 可以 应该 仔细地 自动 重新 在后台 每天 及时 很少 往往 只好 几乎'.split(' '),
  does: '处理 检查 保存 分析 更新 删除 优化 讨论 理解 比较 验证 记录 返回 配置 部署 解释 收集 提高 生成 忽略'.split(
    ' ',
  ),
  what: '所有的请求 上下文窗口 错误信息 缓存中的数据 网络连接 日志文件 机器学习的结果 天气预报 历史记录 用户界面 经济发展 语言模型 工具调用 安全问题 内存使用量 文化遗产 交通状况 第三方接口 实验报告 内容摘要'.split(
    ' ',
  ),
  join: '，因此 ，但是 ，并且 ，同时 。 。 ； ：'.split(' '),
};
const JA = {
  who: '私たちは 利用者は このシステムは 開発者が サーバーは 研究者たちは 東京の会社は 新しいモデルは 先生は 管理者が'.split(
    ' ',
  ),
  what: '設定ファイルを 会話の履歴を エラーの原因を 入力データを 検索結果を 日本語の文章を キャッシュを メモリの使用量を 天気の情報を 古い書類を'.split(
    ' ',
  ),
  does: '確認します 保存しました 削除できません 更新しています 分析する必要があります 比較してください 説明しました 圧縮する 読み込みます 選びました'.split(
    ' ',
  ),
};
const KO = {
  who: '우리는 사용자가 시스템은 개발자는 서버가 연구팀은 새로운 모델은 회사는 관리자가 학생들은'.split(' '),
  what: '설정 파일을 대화 기록을 오류의 원인을 입력 데이터를 검색 결과를 긴 문장을 캐시를 메모리 사용량을 날씨 정보를 보고서를'.split(
    ' ',
  ),
  does: '확인합니다. 저장했습니다. 삭제할 수 없습니다. 업데이트하고 있습니다. 분석해야 합니다. 비교해 주세요. 설명했습니다. 읽어옵니다.'.split(
    ' ',
  ),
};

/** Chinese (two thirds), Japanese and Korean; some 300 KB of sentences that seldom repeat. */
export function cjk(): string {
  const random = seeded(11);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!;
  let out = '';
  while (out.length < 110_000) {
    const kind = random();
    if (kind < 0.66) {
      for (let i = 0; i < 6; i++)
        out += pick(ZH.who) + pick(ZH.how) + pick(ZH.does) + pick(ZH.what) + pick(ZH.join);
      out += '\n';
    } else if (kind < 0.85) {
      for (let i = 0; i < 4; i++) out += `${pick(JA.who)}、${pick(JA.what)}${pick(JA.does)}。`;
      out += '\n';
    } else {
      for (let i = 0; i < 4; i++) out += `${pick(KO.who)} ${pick(KO.what)} ${pick(KO.does)} `;
      out += '\n';
    }
  }
  return out;
}

/** The most frequent characters and syllables, of which `unseenCjk` makes its words. */
const HAN =
  '的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坐集编';
const KANA =
  'の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの あり まで られ なる へ か だ これ によって により おり より による ず なり られる において ば なかっ なく しかし について せ だっ できる それ う ので なお のみ でき き つ における および いう さらに でも ら たり その他 に関する たち ます ん なら に対して 特に せる 及び これら とき では にて ほか ながら うち そして とともに ただし かつて それぞれ または お ほど ものの に対する ほとんど と共に といった です とも ところ ここ カード サーバー データ ファイル メモリー ユーザー ネット ログ テスト モデル'.split(
    ' ',
  );
const HANGUL =
  '이다는을를의에가하고로서도지은기사어시리인대자수일정해나있부상과주전한보아라스들게동공원제구성관장연모화경국계유산음비생요조발신문안영내오용위세실면개민반물학업회만우행미분체무식방각당단여소선호심'.split(
    '',
  );

/** Some `chars` characters whose words hardly occurred before: what a cache has not seen yet. Another `seed`, another text. */
export function unseenCjk(seed: number, chars: number): string {
  const random = seeded(seed);
  const below = (n: number) => Math.floor(random() * n);
  const han = (n: number) =>
    Array.from({ length: n }, () => HAN[Math.floor(random() * random() * HAN.length)]!).join('');
  let out = '';
  while (out.length < chars) {
    const kind = random();
    for (let i = 3 + below(5); i > 0; i--) {
      if (kind < 0.5) out += han(4 + below(12)) + '，。、；'[below(4)]!;
      else if (kind < 0.75) {
        for (let k = 1 + below(4); k > 0; k--) out += han(1 + below(3)) + KANA[below(KANA.length)]!;
        out += '、。'[below(2)]!;
      } else out += `${Array.from({ length: 2 + below(3) }, () => HANGUL[below(HANGUL.length)]!).join('')} `;
    }
    out += '\n';
  }
  return out;
}

/** 2,000 strings of 20 to 200 bytes, cut from the others at random places. */
export function small(): string[] {
  const random = seeded(13);
  const sources = [prose(), code(), json()];
  return Array.from({ length: 2000 }, (_, i) => {
    const from = sources[i % 3]!;
    const at = Math.floor(random() * (from.length - 200));
    return from.slice(at, at + 20 + Math.floor(random() * 180));
  });
}

/** Every string of 1 to 100,000 characters in the recorded conversations; undefined when they are absent. */
export function transcripts(): string[] | undefined {
  const dir = join(process.env['CURATED_SHARED'] ?? join(root, '..', 'shared'), 'data', 'transcripts');
  if (!existsSync(dir)) return undefined;
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value.length > 0 && value.length <= 100_000) texts.push(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const v of Object.values(value)) walk(v);
    }
  };
  for (const f of readdirSync(dir).sort()) {
    if (!f.endsWith('.jsonl')) continue;
    for (const line of readFileSync(join(dir, f), 'utf8').split('\n')) {
      if (line !== '') walk((JSON.parse(line) as { messages?: unknown }).messages);
    }
  }
  return texts;
}
