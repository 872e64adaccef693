package core

import "sync"

// endOfLatin is the first character after the Latin letters with marks.
const endOfLatin = 0x250

// runeWeights are the weights of characters beyond ASCII, in quarters of a token. Each line is a range, given by its last character.
var runeWeights = []struct {
	last   rune
	weight int
}{
	{endOfLatin - 1, 9},
	{0x36f, 8},   // phonetic signs, combining marks
	{0x3ff, 5},   // Greek
	{0x52f, 4},   // Cyrillic
	{0x58f, 9},   // Armenian
	{0x7ff, 5},   // Hebrew, Arabic
	{0xdff, 9},   // scripts of India
	{0xe7f, 7},   // Thai
	{0x109f, 12}, // Lao, Tibetan, Burmese
	{0x10ff, 6},  // Georgian
	{0x1dff, 12}, // Ethiopic and others
	{0x1fff, 8},  // Latin and Greek letters with several marks
	{0x2dff, 10}, // signs, arrows, mathematics, boxes
	{0x303f, 5},  // punctuation of Chinese and Japanese
	{0x30ff, 6},  // kana
	{0x4dff, 12}, // rare ideographs
	{0x9fff, 9},  // ideographs
	{0xabff, 12},
	{0xd7af, 10},  // Hangul
	{0xffff, 12},  // private use and others: a token a byte
	{0x1efff, 16}, // ancient scripts
	{0x1faff, 12}, // emoji
}

// weightOfCommonIdeograph is the weight of an ideograph that is one token.
const weightOfCommonIdeograph = 4

// weighRune returns the weight of a character beyond ASCII.
func weighRune(r rune) int {
	if firstIdeograph <= r && r <= lastIdeograph && isCommonIdeograph(r) {
		return weightOfCommonIdeograph
	}
	for _, w := range runeWeights {
		if r <= w.last {
			return w.weight
		}
	}
	const bytesOfOthers = 4
	return bytesOfOthers * WeightPerToken
}

// isCommonIdeograph reports whether the ideograph is one of commonIdeographs.
func isCommonIdeograph(r rune) bool {
	offset := r - firstIdeograph
	return commonIdeographBits()[offset/64]&(1<<(offset%64)) != 0
}

const firstIdeograph, lastIdeograph = '\u4e00', '\u9fa5'

// commonIdeographBits is computed when the first text with ideographs is weighed.
var commonIdeographBits = sync.OnceValue(func() *[(lastIdeograph-firstIdeograph)/64 + 1]uint64 {
	var bits [(lastIdeograph-firstIdeograph)/64 + 1]uint64
	for _, r := range commonIdeographs {
		bits[(r-firstIdeograph)/64] |= 1 << ((r - firstIdeograph) % 64)
	}
	return &bits
})

// commonIdeographs are the ideographs that both tokenisers of scripts/count-tokens read as one token.
const commonIdeographs = "一万三上下不与专且业东两个中串临为主么义之乐乘也习书买了事二于云互五些交产京人什仅今从仓他付代令以们件价任份企优会传似但" +
	"位体何余作你使例供依保信修個候値值假做停储像元充先光克入全公共关兴其具典内册再写决况准减几出击分切划列则初利别到制前剧割" +
	"力功加务动助動包化北匹区十半华单南博占卡印即历原去县参及双反发取受变口古句只可台右号司各合吉同名后向否含启告员周命和品哈" +
	"响商器四回因团围国图土在地场址均坐块型城域基報場填境增处备変复外多大天太失头夹好如始子字存学宁它安完定实実客害家容密对导" +
	"対射将小少尔就尾局层屏展属山峰川州工左差己已市布带常平年并广庆序库应店度建开异式引张弹归当录形影径待很後得微德心必志态思" +
	"性总息您情想意感戏成我或截户房所手才打执扩批找承技把投报拉拟择括持指按损换据掉排接控推描提換搜播支收改放政效教数整數文料" +
	"断新方族旗无日时昌明易星映是显時普景曲更替最月有服期未本术机权束条来板构析林果查标栏树校样核根格框案档检楼概標模次止正此" +
	"步武段母每比民水永求江池没河治法波注活流测海消深清游湖源滑满滤点為热然照父片版牌物特状率王环现現理生用由申电画界略発登白" +
	"百的监盘目直相省看真着知矩短石码确示社神票离种科秒积称移程空突窗立站章端符第等答策签简算管箱类精系素索結線红约级线练组细" +
	"终经结绘给络统继续维编缩网罪置群老考者而联聚股育能自至致色节花若英范获菜藏行表被装西要见规视览角解言計設计订认让训议记许" +
	"论设访证评识词试话询该详语误说请读课调象資负责败账质购费资起超足距路跳身輸车转轮软轴载较辑输边达过运近返还这进连述追退送" +
	"选递通速造遍道那邮部都配采释里重量金针钮银链销错键长開間関门闭问间闻队防阳阵际陆限院除随隔集零需青非面音页项顺须预频题颜" +
	"额飞首马验高黑默龙"

// isCommonPair reports whether the second letter often follows the first in words. Case does not matter.
func isCommonPair(first, second byte) bool {
	return first >= 'A' && second >= 'A' && commonPairs[(first|' ')-'a']&(1<<((second|' ')-'a')) != 0
}

// commonPairs has a bit for each letter that often follows another. These pairs make up 97 % of all pairs in English and in identifiers.
var commonPairs = makeCommonPairs()

func makeCommonPairs() (pairs [26]uint32) {
	for first, seconds := range [26]string{
		"bcdfgiklmnprstuvxy",     // a
		"aeijloruy",              // b
		"acehiklorstu",           // c
		"acdeilmorstuy",          // d
		"abcdefgilmnopqrstuvwxy", // e
		"aefilmortu",             // f
		"ehinorstu",              // g
		"aeiotu",                 // h
		"abcdefglmnoprstvxz",     // i
		"es",                     // j
		"eis",                    // k
		"adefilopstuy",           // l
		"abeimopstu",             // m
		"acdefgiklnopstuvy",      // n
		"abcdefgijklmnoprstuvw",  // o
		"aeiloprstuy",            // p
		"u",                      // q
		"acdefgiklmnorstuvy",     // r
		"acehiklopstuwy",         // s
		"acdefhilmoprstuxy",      // t
		"abcdefgilmnprst",        // u
		"aei",                    // v
		"aehinors",               // w
		"acept",                  // x
		"lpst",                   // y
		"e",                      // z
	} {
		for _, second := range seconds {
			pairs[first] |= 1 << (second - 'a')
		}
	}
	return pairs
}
