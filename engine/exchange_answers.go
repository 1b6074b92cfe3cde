package engine

import "github.com/sealburst/sealburst/ciphers"

// knownExchange has the SHA-256 digests of the self-test's first entry and of its
// first eight.
type knownExchange struct{ one, eight string }

// knownExchanges are what selfTestExchange expects. The test
// TestKnownExchangesAreTheLibraries makes each of them anew from the standard
// library, circl and math/big, without this package's code.
var knownExchanges = [ciphers.NumAlgorithms]knownExchange{
	ciphers.X25519: {
		"f23e8d25175d19ad651e61d0cb4a688bc55eed9758cabfa35cc4d15fd8e9e205",
		"09a6b1268b2db0390c789bcb821537b0035603d5c981c66be6bd22ab82d88b68",
	},
	ciphers.X448: {
		"457509c18deed404d4e97702b7984f07d91bb25f32024ad314b79f81f187f485",
		"6cf5146bcc84e59dd7dc37a92b5dd96d0347519c2914f942ec3248535f260911",
	},
	ciphers.P256: {
		"ff1afb953cfbd3a3fd96c53678bb91caacf561ecd90225c8f7162655cb08eccf",
		"93757431a89334febdc33d8711bf64aa64bdb7dd1f643fa1e12330526552d207",
	},
	ciphers.P384: {
		"f28933c4da84ee8cb28a723901414c11d7e523a8a2f954bd111087cf073c903e",
		"b8a1ca2b28334aa6b849b00634dd0eb9135a81651d8ccb653d6f708470a3a41b",
	},
	ciphers.P521: {
		"756c1f326a3d6d719b4937af051790924649d174b82697ab7692616fd54fbc7f",
		"a308b1d9d80dc7b4bc641627a601a5532fc75b23dbf00d2c8ca64c253a47eb37",
	},
	ciphers.FFDHE2048: {
		"9acab78635259821492217cd419d614e11667a08e4f57579def2e2cccbe0f25b",
		"33f454d3decc9991b670121fc8f2f38d99ea27c1eb252ec2d43d753647cfa1f0",
	},
	ciphers.FFDHE3072: {
		"77b80629d225257dd91519103ecfd04f5d7e5842c4587785a86e176e68a1e429",
		"6ae5ea24a0c001c6c49bbb1087af990b59c93fd968bc84bc6f4d2f0ca1976887",
	},
	ciphers.FFDHE4096: {
		"e1fdc9767a74bb748f46b5a99dfcee0c652a737d3f9e74f8627765101929d37c",
		"7ca309a1f9342454e0357ae2a5cccafeecb3c9055971abfe0cfa976fae90fe8b",
	},
	ciphers.MODP14: {
		"d60f456a6f404372ee7149735f8095907a4bf1f1de77ecb2a69e0ea3487cde60",
		"5851cb7aeb68491b1eec155072aa9d6ea075acf23fd9fd043f82c467e6478b06",
	},
	ciphers.MLKEM768: {
		"ad596ae29741d0e589f80420a4f6702ad123ea92448700d53e46328df9dc56ae",
		"2d3083d54bb8b0af0dcfd1add59f511005b12ce040837b2ff81178fa973b6782",
	},
	ciphers.MLKEM1024: {
		"86cd29de5f1b8abbce6c4c38650c239b25f725c5a12f21761d448a8672dc5298",
		"5697578b501e081b4e0aea2e8d39c3768cf2e77141d4ca6203c5c699a57cab72",
	},
	ciphers.X25519MLKEM768: {
		"0291ab4d169ba9296a569d2971c45a8b2ca3841df707625f04791eae4a300573",
		"9351cdaba480b97062f51bcc5c5b2785a5c25009acbfe31c261e4bb067af715b",
	},
	ciphers.SecP256r1MLKEM768: {
		"f70b4b809536eb2f8a3dea85f4650e8864acaa3a78e438f9b6995a31bfafb3ba",
		"4bd48d10aabec853595bc15f1e3f2b80088bbde9fa8833ddb427dcc9dfbb6462",
	},
}
